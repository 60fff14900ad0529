import { workersWorktree } from '../../core/delegates/inWorktree.ts';
import type { TaskView, WorkerView } from '../../core/live/overview.ts';
import type { ChangesOf, Folder } from '../ports.ts';

/** What a person can review of a worker. */
export function changesOfWorker(
	{ record: { name }, hasSnapshot }: TaskView,
	worker: WorkerView,
): ChangesOf | undefined {
	const worktree = workersWorktree(worker);
	if (worktree) return { worktree };
	return hasSnapshot && isInFolder(worker) ? { task: name } : undefined;
}

/** Works in the workspace folder itself. */
export function isInFolder({ record }: WorkerView): boolean {
	return record.worktree === undefined;
}

/** The folder in which the changed files are. */
export function rootOf({ path }: Folder, of: ChangesOf): string {
	return 'worktree' in of ? of.worktree.folder : path;
}

/** The same for the same changes. */
export function keyOf({ path }: Folder, of: ChangesOf): string {
	return 'worktree' in of ? of.worktree.folder : `${path}//${of.task}`;
}
