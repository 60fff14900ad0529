import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { DeploymentRecords } from '../core/deployment/records.ts';
import { switchedOff } from '../core/deployment/silencers.ts';
import type { FoundAgent } from '../core/driver/launch.ts';
import type { LaunchHooks } from '../core/driver/launchPlace.ts';
import type { Compiled } from '../core/memory/compile.ts';
import type { ProjectMemory } from '../core/memory/memory.ts';
import type { MemoryPlace } from '../core/memory/state.ts';
import { ToldMarks } from '../core/memory/toldMarks.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import { readTraffic } from '../core/traffic/store.ts';
import { drivers } from '../drivers/index.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { ProjectName } from '../protocol/memoryNames.ts';
import { SessionId } from '../protocol/names.ts';
import { ProjectTaskOutput } from '../protocol/output/memory.ts';
import type { TrafficRecord } from '../protocol/traffic.ts';
import { perform, type Operation, type OperationContext } from './operation.ts';
import { run, type RunContext } from './run.ts';
import { chooseAgent } from './shared/agents.ts';
import { withCollector } from './shared/collecting.ts';
import { compileNotes } from './shared/compiledNotes.ts';
import { deployAgent } from './shared/deployEach.ts';
import { hasHooks, keepSettings } from './shared/hooksChoice.ts';
import { whyNoNotes } from './shared/extractorFor.ts';
import { memoryPlace, openMemory } from './shared/memory.ts';
import { refuseAsking } from './shared/starting.ts';

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

/** How long the hooks of an agent that has ended are waited for, in milliseconds. */
const LATE_MS = 3000;
const STEP_MS = 50;

const NOTHING: Compiled = { text: '', told: [], tokens: 0 };

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
		const found = await chooseAgent(asker, env, agent);
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
		// The hooks tell notes, and only what they cannot know goes before the prompt.
		const byHooks = tells ? await memory.context(project, place, '', undefined) : NOTHING;
		const before = await beforePrompt(memory, place, { ...input, since }, { tells, isGoingOn });
		const told = [...byHooks.told, ...before.told];
		const { number } = await memory.begin(
			project,
			{ prompt: input.prompt, agent: found.driver.id, folder: workspace.folder, told },
			place,
		);
		await compileNotes(context);
		const session = SessionId.parse(isGoingOn ? resume : crypto.randomUUID());
		const beganAt = new Date().toISOString();
		const marks = new ToldMarks(context.dataFolder);
		const knew = marks.read(session)?.told;
		const { run: ran, ending } = await perform(
			run,
			asker,
			{
				prompt: before.text === '' ? input.prompt : `${before.text}\n${input.prompt}`,
				folder: workspace.folder,
				agent: found.driver.id,
				permissions: input.permissions,
				extra: [],
			},
			{ ...context, recorded: { session, resume: isGoingOn ? resume : undefined, hooks, project } },
		);
		const reported = SessionId.safeParse(ran.session);
		const own = reported.success ? reported.data : session;
		const heard = marks.read(own)?.told === knew ? NOTHING : byHooks;
		const records = hooks ? await recordsOf(workspace, own, { beganAt, endedMs: Date.now() }) : [];
		const { commit } = await memoryPlace(workspace.folder);
		const { extraction } = await memory.end(
			project,
			number,
			{ session: own, after: commit, ending, ok: ran.ok, reason: ran.reason, output: ran.output },
			{
				records,
				wordsOf: id => drivers.find(driver => driver.id === id)?.eventWords,
				delivered: [byHooks.text, before.text],
			},
			whyNoNotes((await memory.config()).extraction.agent, found.driver),
		);
		await compileNotes(context);
		return {
			project,
			task: number,
			ok: ran.ok,
			output: ran.output,
			reason: ran.reason,
			session: own,
			told: heard.told.length + before.told.length,
			aboutTokens: heard.tokens + before.tokens,
			extraction: extraction.state,
			why: extraction.why,
		};
	},
};

/** What is told before the prompt: everything if no hooks tell it, and nothing twice. */
async function beforePrompt(
	memory: ProjectMemory,
	place: MemoryPlace,
	{ project, prompt, since }: Pick<Input, 'project' | 'prompt'> & { since: number | undefined },
	{ tells, isGoingOn }: { tells: boolean; isGoingOn: boolean },
): Promise<Compiled> {
	if (!tells) return isGoingOn ? NOTHING : memory.context(project, place, prompt, since);
	return since === undefined ? NOTHING : memory.sessionSoFar(project, since);
}

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

/**
 * What the hooks of a session have reported since this task began: a conversation that is continued has records of earlier tasks. Some
 * hooks run on after their agent has ended, and another window may collect.
 */
async function recordsOf(
	workspace: Workspace,
	session: SessionId,
	{ beganAt, endedMs }: { beganAt: string; endedMs: number },
): Promise<TrafficRecord[]> {
	return withCollector(workspace, async collect => {
		for (;;) {
			await collect();
			const records = (await readTraffic(workspace.paths, session)).filter(({ at }) => at >= beganAt);
			const isWhole = records.some(each => each.type === 'event' && each.event.kind === 'session-end');
			if (isWhole || Date.now() > endedMs + LATE_MS) return records;
			await sleep(STEP_MS);
		}
	});
}
