import { constants } from 'node:os';
import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { permit } from '../core/asker/permit.ts';
import { switchedOff } from '../core/deployment/silencers.ts';
import type { FoundAgent } from '../core/driver/foundAgent.ts';
import { taskNameFrom } from '../core/workspace/taskName.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import type { ForegroundProgram } from '../process/foreground.ts';
import type { MemoryTask } from '../protocol/memory.ts';
import { ProjectName } from '../protocol/memoryNames.ts';
import { TaskName } from '../protocol/names.ts';
import { ProjectTaskOutput } from '../protocol/output/memory.ts';
import { perform, type Operation, type OperationContext } from './operation.ts';
import { orchestrate } from './orchestrate.ts';
import { chooseAgent } from './shared/agents.ts';
import { hasHooks } from './shared/hooksChoice.ts';
import { memoryPlace, openMemory } from './shared/memory.ts';
import { beginTask, endTask, promptWith, toldOf } from './shared/projectTold.ts';

const Input = z.object({
	project: ProjectName,
	/** Without it the agent waits for the user. */
	prompt: z.optional(z.string().check(z.minLength(1))),
	/** By default the first agent that is found. */
	agent: z.optional(z.string()),
	permissions: z.optional(z.string()),
	/** The first task of the present session, if it shall be told of them. */
	since: z.optional(z.int()),
});
type Input = z.infer<typeof Input>;

export interface InteractiveContext extends OperationContext {
	/** Runs the agent in the asker's terminal until it ends. @returns its exit code */
	readonly inTerminal: (plan: ForegroundProgram & { address: WorkerAddress }) => Promise<number>;
	/** Before the agent has the terminal, the user breaks off what begins. */
	readonly signal: AbortSignal;
}

/** Exit codes of an agent that one of these signals has ended. */
const BROKEN_OFF_BY = {
	SIGHUP: 128 + constants.signals.SIGHUP,
	SIGINT: 128 + constants.signals.SIGINT,
	SIGTERM: 128 + constants.signals.SIGTERM,
};

/**
 * Runs one task of a project in a terminal, as a worker of a task of its own. The worker is in the sidebar, and messages reach it. What was
 * done is saved before the agent starts and after it has ended. Extracting its notes is a step of its own.
 */
export const interactiveTask: Operation<Input, z.infer<typeof ProjectTaskOutput>, InteractiveContext, FoundAgent> = {
	name: 'interactiveTask',
	input: Input,
	output: ProjectTaskOutput,
	async permit(asker, { agent }, { env, workspace }) {
		permit(asker, { is: 'use-memory' });
		await refuseTracked(workspace);
		return chooseAgent(asker, { env, workspace }, agent);
	},
	async run(asker, { project, prompt, permissions, since }, context, { driver }) {
		const { workspace, env, signal } = context;
		const memory = await openMemory(env);
		const place = await memoryPlace(workspace.folder);
		await memory.open(project, place.repository, place.branch);
		const isHooked = await hasHooks(context);
		const tells = isHooked && (await switchedOff(workspace.folder, driver, env)).length === 0;
		const told = await toldOf(memory, place, { project, prompt, since }, { tells, isGoingOn: false });
		const { tasks } = await memory.state(project);
		refuseBrokenOff(signal);
		const title = `${project} ${(tasks.at(-1)?.number ?? 0) + 1}`;
		const plan = await perform(
			orchestrate,
			asker,
			{
				task: taskNameFrom(title) ?? TaskName.parse('project'),
				title,
				isNew: false,
				agent: driver.id,
				resume: false,
				prompt: prompt && promptWith(told, prompt),
				permissions,
				extra: [],
				hooks: true,
			},
			context,
		);
		for (const warning of plan.warnings) context.note(warning);
		refuseBrokenOff(signal);
		const task = await beginTask(memory, place, {
			project,
			prompt: prompt ?? '',
			driver,
			folder: workspace.folder,
			told,
			isTyped: true,
		});
		const inProject = { ...plan, env: { ...plan.env, NANCY_PROJECT: project } };
		const code = signal.aborted ? BROKEN_OFF_BY.SIGINT : await context.inTerminal(inProject);
		const sessions = (await workspace.worker(plan.address))?.sessions.map(({ id }) => id) ?? [];
		return endTask(memory, workspace, task, {
			sessions,
			isHooked: plan.hasHooks,
			...endingOf(code),
			output: '',
		});
	},
};

/** How an agent in a terminal ended. The user, a closed terminal or another program may have stopped it. */
function endingOf(code: number): Pick<MemoryTask, 'ending' | 'reason'> & { ok: boolean } {
	if (code === 0) return { ok: true, ending: 'result', reason: undefined };
	const isBrokenOff = Object.values(BROKEN_OFF_BY).includes(code);
	if (isBrokenOff) return { ok: false, ending: 'cancelled', reason: 'it was broken off' };
	return { ok: false, ending: 'no-result', reason: `the agent ended with exit code ${code}` };
}

/** @throws NancyError `wrong-state` */
function refuseBrokenOff({ aborted }: AbortSignal): void {
	if (aborted) throw new NancyError('wrong-state', phrase`no task was begun`);
}
