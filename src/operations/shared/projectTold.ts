import type { Driver } from '../../core/driver/driver.ts';
import type { Compiled } from '../../core/memory/compile.ts';
import type { FileChange } from '../../core/memory/digest.ts';
import type { ProjectMemory } from '../../core/memory/memory.ts';
import type { MemoryPlace } from '../../core/memory/state.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { driverById } from '../../drivers/index.ts';
import type { MemoryTask } from '../../protocol/memory.ts';
import type { ProjectName } from '../../protocol/memoryNames.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { ProjectTaskOutput } from '../../protocol/output/memory.ts';
import { changedSince, uncommitted } from './changedByTask.ts';
import { whyNoNotes } from './extractorFor.ts';
import { isDirty, memoryPlace } from './memory.ts';
import { answersOf, recordsOf, steeringOf } from './taskSources.ts';

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
	/** All that it is asked for; `undefined` where a person goes on asking in its terminal. */
	readonly prompt: string | undefined;
	/** An ISO 8601 date and time. */
	readonly beganAt: string;
	/** The commit that was checked out, and what the folder had beyond it, if git told. */
	readonly before: string | undefined;
	readonly had: readonly FileChange[] | undefined;
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
	const byHooks = tells ? await memory.contexts.ofTask(project, place, '', undefined) : NOTHING_TOLD;
	const before = async () => {
		if (prompt === undefined) return NOTHING_TOLD;
		if (!tells) return isGoingOn ? NOTHING_TOLD : memory.contexts.ofTask(project, place, prompt, since);
		return since === undefined ? NOTHING_TOLD : memory.contexts.ofSession(project, since);
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
		isTyped = false,
	}: { prompt: string; folder: string; isTyped?: boolean } & Pick<RunningTask, 'project' | 'driver' | 'told'>,
): Promise<RunningTask> {
	const had = await uncommitted(folder, place.commit);
	const { number } = await memory.tasks.begin(
		project,
		{ prompt, agent: driver.id, folder, told: [...told.byHooks.told, ...told.before.told] },
		place,
	);
	const beganAt = new Date().toISOString();
	const given = isTyped ? undefined : prompt;
	return { project, number, driver, told, prompt: given, beganAt, before: place.commit, had };
}

/**
 * Saves how a task ended, with what its hooks have reported.
 * @param ended `isHooked`: hooks reported its events; `isNamed`: the agent itself has named its session
 */
export async function endTask(
	memory: ProjectMemory,
	workspace: Workspace,
	{ project, number, driver, told, prompt, beganAt, before, had }: RunningTask,
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
	const { folder } = workspace;
	const [records, steering, changes, { commit: after }, dirty] = await Promise.all([
		isHooked ? reported() : [],
		steeringOf(workspace, sessions, beganAt),
		changedSince(folder, before, had),
		memoryPlace(folder),
		isDirty(folder),
	]);
	const session = sessions.at(-1);
	const saved = { ...ended, session, after, isDirty: dirty };
	const { extraction } = await memory.tasks.end(
		project,
		number,
		saved,
		{
			records,
			wordsOf: id => driverById(id)?.eventWords,
			given: prompt === undefined ? 'typed' : [{ at: beganAt, text: prompt }],
			delivered: [told.byHooks.text, told.before.text],
			steering,
			answers: await answersOf(driver, records, beganAt),
			changes,
		},
		whyNoNotes((await memory.configOrDefault()).extraction.agent, driver),
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
