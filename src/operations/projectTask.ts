import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { DeploymentRecords } from '../core/deployment/records.ts';
import { switchedOff } from '../core/deployment/silencers.ts';
import type { FoundAgent } from '../core/driver/foundAgent.ts';
import type { LaunchHooks } from '../core/driver/launchPlace.ts';
import { ToldMarks } from '../core/memory/toldMarks.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { ProjectName } from '../protocol/memoryNames.ts';
import { SessionId } from '../protocol/names.ts';
import { ProjectTaskOutput } from '../protocol/output/memory.ts';
import { perform, type Operation, type OperationContext } from './operation.ts';
import { run, type RunContext } from './run.ts';
import { chooseAgent } from './shared/agents.ts';
import { compileNotes } from './shared/compiledNotes.ts';
import { deployAgent } from './shared/deployEach.ts';
import { hasHooks, keepSettings } from './shared/hooksChoice.ts';
import { memoryPlace, openMemory } from './shared/memory.ts';
import { beginTask, endTask, promptWith, toldOf } from './shared/projectTold.ts';
import { knownMode, refuseAsking, refuseTalkedWith } from './shared/starting.ts';

const Input = z.object({
	project: ProjectName,
	prompt: z.string().check(z.minLength(1)),
	/** By default the first agent that is found. */
	agent: z.optional(z.string()),
	permissions: z.optional(z.string()),
	mode: z.enum(['fresh', 'summary', 'full']),
	/** The first task of the present session. */
	since: z.int(),
	/** The conversation to continue in the mode `full`. */
	resume: z.optional(SessionId),
});
type Input = z.infer<typeof Input>;

type Output = z.infer<typeof ProjectTaskOutput>;

/**
 * Runs one task of a project without a terminal, and records its events. Its hooks tell it the project's notes. Without hooks, the notes
 * go before the prompt. The task is saved before the agent starts and after it has ended. Extracting its notes is a step of its own.
 */
export const projectTask: Operation<Input, Output, RunContext, FoundAgent> = {
	name: 'projectTask',
	input: Input,
	output: ProjectTaskOutput,
	async permit(asker, { agent, permissions }, { env, workspace }) {
		permit(asker, { is: 'use-memory' });
		await refuseTracked(workspace);
		const found = await chooseAgent(asker, { env, workspace }, agent);
		refuseTalkedWith(found.driver);
		knownMode(found.driver, permissions);
		refuseAsking(found.driver, permissions);
		return found;
	},
	async run(asker, input, context, found) {
		const { project, mode, resume } = input;
		const { workspace, env } = context;
		const memory = await openMemory(env);
		const place = await memoryPlace(workspace.folder);
		await memory.open(project, place.repository, place.branch);
		await keepSettings(asker, context);
		const hooks = await hooksOf(context, found);
		const isGoingOn = mode === 'full' && resume !== undefined;
		const tells = hooks !== undefined && (await switchedOff(workspace.folder, found.driver, env)).length === 0;
		const since = mode === 'summary' ? input.since : undefined;
		const told = await toldOf(memory, place, { ...input, since }, { tells, isGoingOn });
		const task = await beginTask(memory, place, {
			...input,
			driver: found.driver,
			folder: workspace.folder,
			told,
		});
		await compileNotes(context);
		const session = SessionId.parse(isGoingOn ? resume : crypto.randomUUID());
		const marks = new ToldMarks(context.dataFolder);
		const knew = marks.read(session)?.told;
		const { run: ran, ending } = await perform(
			run,
			asker,
			{
				prompt: promptWith(told, input.prompt),
				folder: workspace.folder,
				agent: found.driver.id,
				permissions: input.permissions,
				extra: [],
			},
			{ ...context, recorded: { session, resume: isGoingOn ? resume : undefined, hooks, project } },
		);
		const reported = SessionId.safeParse(ran.session);
		const own = reported.success ? reported.data : session;
		const done = await endTask(memory, workspace, task, {
			sessions: [own],
			isHooked: hooks !== undefined,
			isNamed: reported.success,
			ending,
			ok: ran.ok,
			reason: ran.reason,
			output: ran.output,
		});
		await compileNotes(context);
		if (marks.read(own)?.told !== knew) return done;
		// Its conversation knew the notes already.
		return { ...done, told: told.before.told.length, aboutTokens: told.before.tokens };
	},
};

/** By which the run reports its events; `undefined` if the user wants no hooks here. */
async function hooksOf(context: OperationContext, found: FoundAgent): Promise<LaunchHooks | undefined> {
	if (!(await hasHooks(context))) return undefined;
	// Events are kept only where there is a spool.
	await context.workspace.prepare();
	const runtime = await context.installRuntime();
	const { warnings } = await deployAgent(context, runtime, found, 'launch');
	for (const warning of warnings) context.note(warning);
	const records = new DeploymentRecords(context.workspace, runtime.dataFolder);
	return { launcher: runtime.launcher, folder: records.launchFolder(found.driver.id) };
}
