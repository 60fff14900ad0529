import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { TaskSnapshots } from '../../core/worktrees/taskSnapshots.ts';
import { dropSnapshot, keepSnapshot, takeSnapshot, type Snapshot } from '../../git/snapshot.ts';
import type { TaskName } from '../../protocol/names.ts';

/**
 * Takes a snapshot of the workspace folder for a task that begins there. Without one there is no review. That is no reason to start no task,
 * whatever has failed.
 */
export async function beginSnapshot(workspace: Workspace, task: TaskName): Promise<void> {
	try {
		// Of a start that was killed, or of a task that was removed by hand.
		await forgetSnapshot(workspace, task);
		const snapshot = await takeSnapshot(workspace.folder);
		// First, so that a kill leaves no ref that nobody knows.
		await new TaskSnapshots(workspace.own).note(task, snapshot);
		await keepSnapshot(workspace.folder, snapshot);
	} catch {
		// Only half kept, it would be gone one day.
		await forgetSnapshot(workspace, task).catch(() => undefined);
	}
}

/** Of a task that is put away or deleted. The repository may be gone by then. */
export async function forgetSnapshot(workspace: Workspace, task: TaskName): Promise<void> {
	const snapshots = new TaskSnapshots(workspace.own);
	const snapshot = await snapshots.of(task);
	if (!snapshot) return;
	await dropSnapshot(workspace.folder, snapshot).catch(() => undefined);
	await snapshots.forget(task);
}

/** @throws NancyError `git` for a task without one */
export async function snapshotOf(workspace: Workspace, task: TaskName): Promise<Snapshot> {
	const snapshot = await new TaskSnapshots(workspace.own).of(task);
	if (snapshot) return snapshot;
	throw new NancyError('git', phrase`Nancy has no snapshot of the folder from when ${task} began`);
}
