import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { DeploymentRecords } from '../core/deployment/records.ts';
import type { FoundAgent } from '../core/driver/launch.ts';
import type { LaunchHooks } from '../core/driver/launchPlace.ts';
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

/**
 * Runs one task of a project without a terminal: with the project's context before the prompt, and its events recorded. The task is saved
 * before the agent starts and after it has ended. Extracting its notes is a step of its own.
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
		const told = isGoingOn
			? { text: '', told: [], tokens: 0 }
			: await memory.context(project, place, input.prompt, mode === 'summary' ? input.since : undefined);
		const { number } = await memory.begin(
			project,
			{ prompt: input.prompt, agent: found.driver.id, folder: workspace.folder, told: [...told.told] },
			place,
		);
		const session = SessionId.parse(isGoingOn ? resume : crypto.randomUUID());
		const beganAt = new Date().toISOString();
		const { run: ran, ending } = await perform(
			run,
			asker,
			{
				prompt: told.text === '' ? input.prompt : `${told.text}\n${input.prompt}`,
				folder: workspace.folder,
				agent: found.driver.id,
				permissions: input.permissions,
				extra: [],
			},
			{ ...context, recorded: { session, resume: isGoingOn ? resume : undefined, hooks } },
		);
		const reported = SessionId.safeParse(ran.session);
		const own = reported.success ? reported.data : session;
		const records = hooks ? await recordsOf(workspace, own, { beganAt, endedMs: Date.now() }) : [];
		const { commit } = await memoryPlace(workspace.folder);
		const { extraction } = await memory.end(
			project,
			number,
			{ session: own, after: commit, ending, ok: ran.ok, reason: ran.reason, output: ran.output },
			{ records, wordsOf: id => drivers.find(driver => driver.id === id)?.eventWords, delivered: [told.text] },
			whyNoNotes((await memory.config()).extraction.agent, found.driver),
		);
		return {
			project,
			task: number,
			ok: ran.ok,
			output: ran.output,
			reason: ran.reason,
			session: own,
			told: told.told.length,
			aboutTokens: told.tokens,
			extraction: extraction.state,
			why: extraction.why,
		};
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
