import { setTimeout as sleep } from 'node:timers/promises';
import type { Driver } from '../../core/driver/driver.ts';
import type { Compiled } from '../../core/memory/compile.ts';
import type { ProjectMemory } from '../../core/memory/memory.ts';
import type { MemoryPlace } from '../../core/memory/state.ts';
import { readTraffic } from '../../core/traffic/store.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { drivers } from '../../drivers/index.ts';
import type { MemoryTask } from '../../protocol/memory.ts';
import type { ProjectName } from '../../protocol/memoryNames.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { ProjectTaskOutput } from '../../protocol/output/memory.ts';
import type { TrafficRecord } from '../../protocol/traffic.ts';
import { withCollector } from './collecting.ts';
import { whyNoNotes } from './extractorFor.ts';
import { isDirty, memoryPlace } from './memory.ts';

/** How long the hooks of an agent that has ended are waited for, in milliseconds. */
const LATE_MS = 3000;
const STEP_MS = 50;

const NOTHING_TOLD: Compiled = { text: '', told: [], tokens: 0 };

/** What a task is told. */
export interface Told {
	/** What its hooks tell it at its prompt. */
	readonly byHooks: Compiled;
	/** What goes before its prompt. */
	readonly before: Compiled;
}

/** A task of a project while its agent runs. */
export interface RunningTask {
	readonly project: ProjectName;
	readonly number: number;
	readonly driver: Driver;
	readonly told: Told;
	/** An ISO 8601 date and time. */
	readonly beganAt: string;
}

/**
 * What a task is told: notes by the hooks if they tell any, otherwise before the prompt, and nothing twice.
 * @param since the first task of the present session; nothing of it is told without
 */
export async function toldOf(
	memory: ProjectMemory,
	place: MemoryPlace,
	{ project, prompt, since }: { project: ProjectName; prompt: string | undefined; since: number | undefined },
	{ tells, isGoingOn }: { tells: boolean; isGoingOn: boolean },
): Promise<Told> {
	const byHooks = tells ? await memory.context(project, place, '', undefined) : NOTHING_TOLD;
	const before = async () => {
		if (prompt === undefined) return NOTHING_TOLD;
		if (!tells) return isGoingOn ? NOTHING_TOLD : memory.context(project, place, prompt, since);
		return since === undefined ? NOTHING_TOLD : memory.sessionSoFar(project, since);
	};
	return { byHooks, before: await before() };
}

export function promptWith({ before }: Told, prompt: string): string {
	return before.text === '' ? prompt : `${before.text}\n${prompt}`;
}

/** Saves that a task begins. */
export async function beginTask(
	memory: ProjectMemory,
	place: MemoryPlace,
	{
		project,
		prompt,
		driver,
		folder,
		told,
	}: { prompt: string; folder: string } & Omit<RunningTask, 'number' | 'beganAt'>,
): Promise<RunningTask> {
	const { number } = await memory.begin(
		project,
		{ prompt, agent: driver.id, folder, told: [...told.byHooks.told, ...told.before.told] },
		place,
	);
	return { project, number, driver, told, beganAt: new Date().toISOString() };
}

/**
 * Saves how a task ended, with what its hooks have reported.
 * @param ended `isHooked`: hooks reported its events; `isNamed`: the agent itself has named its session
 */
export async function endTask(
	memory: ProjectMemory,
	workspace: Workspace,
	{ project, number, driver, told, beganAt }: RunningTask,
	{
		sessions,
		isHooked,
		isNamed = true,
		...ended
	}: {
		sessions: readonly SessionId[];
		isHooked: boolean;
		isNamed?: boolean;
	} & Pick<MemoryTask, 'ending' | 'output' | 'reason'> & { ok: boolean },
): Promise<ProjectTaskOutput> {
	// What an agent has done to its records must not keep its end from being saved.
	const reported = () => recordsOf(workspace, sessions, { beganAt, endedMs: Date.now() }).catch(() => []);
	const records = isHooked ? await reported() : [];
	const { commit } = await memoryPlace(workspace.folder);
	const session = sessions.at(-1);
	const saved = { ...ended, session, after: commit, isDirty: await isDirty(workspace.folder) };
	const { extraction } = await memory.end(
		project,
		number,
		saved,
		{
			records,
			wordsOf: id => drivers.find(each => each.id === id)?.eventWords,
			delivered: [told.byHooks.text, told.before.text],
		},
		whyNoNotes((await memory.config()).extraction.agent, driver),
	);
	return {
		project,
		task: number,
		ok: ended.ok,
		output: ended.output,
		reason: ended.reason,
		// Otherwise there may be no such conversation, and none is continued.
		session: isNamed || records.length > 0 ? session : undefined,
		told: told.byHooks.told.length + told.before.told.length,
		aboutTokens: told.byHooks.tokens + told.before.tokens,
		extraction: extraction.state,
		cause: extraction.cause,
	};
}

/**
 * What the hooks of sessions have reported since this task began: a conversation that is continued has records of earlier tasks. Some
 * hooks run on after their agent has ended, and another window may collect.
 */
async function recordsOf(
	workspace: Workspace,
	sessions: readonly SessionId[],
	{ beganAt, endedMs }: { beganAt: string; endedMs: number },
): Promise<TrafficRecord[]> {
	return withCollector(workspace, async collect => {
		for (;;) {
			await collect();
			const all = await Promise.all(sessions.map(session => readTraffic(workspace.paths, session)));
			const records = all.flat().filter(({ at }) => at >= beganAt);
			const isWhole = records.some(each => each.type === 'event' && each.event.kind === 'session-end');
			if (isWhole || Date.now() > endedMs + LATE_MS) return records;
			await sleep(STEP_MS);
		}
	});
}
