import { lstat, readdir } from 'node:fs/promises';
import { entryNames } from '../../base/listing.ts';
import { WorkerName, type TaskName } from '../../protocol/names.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { SEALS } from '../mailbox/sealReader.ts';
import { processesOfTask } from '../sessions/sealedAgents.ts';
import { isStartedByPerson } from '../workspace/chosenAgent.ts';
import { deleteTask } from '../sessions/deletion.ts';
import { foundSince } from '../workspace/foundTask.ts';
import type { TaskView } from './overview.ts';

/** How long a task that Nancy only found is kept after its last sign of life, in milliseconds: 14 days. */
export const FOUND_TASK_MS = 14 * 24 * 60 * 60 * 1000;

/** Everything that Nancy makes in a task's folder. */
const OWN: ReadonlySet<string> = new Set(['task.json', 'workers', 'screens', 'comms']);

/**
 * Deletes the tasks of sessions that nobody started with Nancy, one-shot runs among them. Their agents have ended, their mailboxes hold no
 * message of any state, and their last sign of life is older than `beforeMs`. The agent's own conversation stays, and a session that
 * continues gets a new task. The files in `.nancy` can only keep a task: the user's own records say which tasks were found and are unused.
 */
export async function deleteFoundTasks(
	workspace: Workspace,
	tasks: readonly TaskView[],
	beforeMs: number,
): Promise<TaskName[]> {
	const deleted: TaskName[] = [];
	for (const { record, workers } of tasks) {
		const sinceMs = foundSince(workspace, record.name);
		if (sinceMs === undefined || sinceMs >= beforeMs || isInUse(workspace, record.name)) continue;
		if (workers.some(({ state }) => state.phase !== 'ended')) continue;
		const records = workers.map(worker => worker.record);
		if (
			(await lastSignOfLife(workspace, records)) >= beforeMs ||
			!(await isUnused(workspace, record.name, records))
		)
			continue;
		await deleteTask(workspace, record.name);
		deleted.push(record.name);
	}
	return deleted;
}

/** By the user's own records: somebody has written to it or started it, or one of its agents may live. */
function isInUse(workspace: Workspace, task: TaskName): boolean {
	const { own, folder } = workspace;
	return (
		own.namesSync(SEALS, task).length > 0 ||
		isStartedByPerson(workspace, task) ||
		processesOfTask(own.dataFolder, { folder, task }).length > 0
	);
}

/** By the files that an agent's hooks and its collected events change. Their times survive a restart. */
async function lastSignOfLife({ paths }: Workspace, workers: readonly WorkerRecord[]): Promise<number> {
	const files = workers.flatMap(({ task, name, sessions }) => [
		paths.workerRecord(task, name),
		...sessions.flatMap(({ id }) => [paths.trafficFile(id), paths.session(id)]),
	]);
	const found = await Promise.all(files.map(file => lstat(file).catch(() => undefined)));
	return Math.max(0, ...found.map(each => each?.mtimeMs ?? 0));
}

/** Nobody has written to anybody in it, and it holds only files of Nancy's. */
async function isUnused(workspace: Workspace, task: TaskName, workers: readonly WorkerRecord[]): Promise<boolean> {
	const { paths } = workspace;
	workspace.refuseLinks(task);
	if ((await readdir(paths.task(task))).some(name => !OWN.has(name))) return false;
	// A worker with an unreadable record may run.
	if ((await workspace.takenWorkerNames(task)).length !== workers.length) return false;
	for (const name of await entryNames(paths.comms(task))) {
		const worker = WorkerName.safeParse(name);
		if (!worker.success) return false;
		const { messages, problems } = await workspace.mailbox({ task, worker: worker.data }).list();
		if (messages.length + problems.length > 0) return false;
	}
	return true;
}
