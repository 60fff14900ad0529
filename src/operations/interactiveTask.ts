import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { switchedOff } from '../core/deployment/silencers.ts';
import type { FoundAgent } from '../core/driver/launch.ts';
import { taskNameFrom } from '../core/workspace/taskName.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import type { ForegroundProgram } from '../process/foreground.ts';
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
}

/**
 * Runs one task of a project in a terminal, as a worker of a task of its own: it is in the sidebar, and messages reach it. What was done is
 * saved before the agent starts and after it has ended. Extracting its notes is a step of its own.
 */
export const interactiveTask: Operation<Input, z.infer<typeof ProjectTaskOutput>, InteractiveContext, FoundAgent> = {
	name: 'interactiveTask',
	input: Input,
	output: ProjectTaskOutput,
	async permit(asker, { agent }, { env, workspace }) {
		permit(asker, { is: 'use-memory' });
		await refuseTracked(workspace);
		return chooseAgent(asker, env, agent);
	},
	async run(asker, { project, prompt, permissions, since }, context, { driver }) {
		const { workspace, env } = context;
		const memory = await openMemory(env);
		const place = await memoryPlace(workspace.folder);
		await memory.open(project, place.repository, place.branch);
		const isHooked = await hasHooks(context);
		const tells = isHooked && (await switchedOff(workspace.folder, driver, env)).length === 0;
		const told = await toldOf(memory, place, { project, prompt, since }, { tells, isGoingOn: false });
		const { tasks } = await memory.state(project);
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
		const task = await beginTask(memory, place, {
			project,
			prompt: prompt ?? '',
			driver,
			folder: workspace.folder,
			told,
		});
		const code = await context.inTerminal({ ...plan, env: { ...plan.env, NANCY_PROJECT: project } });
		const sessions = (await workspace.worker(plan.address))?.sessions.map(({ id }) => id) ?? [];
		const ok = code === 0;
		return endTask(memory, workspace, task, {
			sessions,
			isHooked: plan.hasHooks,
			ending: ok ? 'result' : 'no-result',
			ok,
			reason: ok ? undefined : `the agent ended with exit code ${code}`,
			output: '',
		});
	},
};
