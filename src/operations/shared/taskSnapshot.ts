import { existsSync } from 'node:fs';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theTask } from '../../core/workspace/named.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { TaskSnapshots } from '../../core/worktrees/taskSnapshots.ts';
import { dropSnapshot, takeSnapshot, type Snapshot } from '../../git/snapshot.ts';
import type { TaskName } from '../../protocol/names.ts';

/** In milliseconds. What is left then is dropped another time. */
const LONGEST_DROP_MS = 5000;

/**
 * Takes a snapshot of the workspace folder for a task that was just made there. Without one there is no review. That is no reason to start
 * no task, whatever has failed.
 */
export async function beginSnapshot(workspace: Workspace, task: TaskName): Promise<void> {
	const snapshots = new TaskSnapshots(workspace.own);
	try {
		// Tasks that were removed by hand. One may have had the same name.
		const gone = snapshots
			.tasksSync()
			.filter(each => each === task || !existsSync(workspace.paths.taskRecord(each)));
		for (const each of gone) snapshots.putAside(each);
		await takeSnapshot(workspace.folder, snapshot => snapshots.note(task, snapshot));
		await dropAside(snapshots);
	} catch {
		// Only half kept, it would be gone one day.
		await forgetSnapshots(workspace, [task]).catch(() => undefined);
	}
}

/**
 * Drops the snapshots of tasks that are put away or deleted. A snapshot that cannot be dropped now is dropped by a later call, also one for
 * no task.
 */
export async function forgetSnapshots(workspace: Workspace, tasks: readonly TaskName[]): Promise<void> {
	const snapshots = new TaskSnapshots(workspace.own);
	for (const task of tasks) snapshots.putAside(task);
	await dropAside(snapshots);
}

async function dropAside(snapshots: TaskSnapshots): Promise<void> {
	const deadlineMs = Date.now() + LONGEST_DROP_MS;
	for (const name of snapshots.asideSync()) {
		const leftMs = deadlineMs - Date.now();
		if (leftMs <= 0) return;
		try {
			const snapshot = await snapshots.aside(name);
			if (snapshot) await dropSnapshot(snapshot, leftMs);
			await snapshots.forgetAside(name);
		} catch {
			// The record is all that names the ref, so it stays.
		}
	}
}

/** @throws NancyError `git` for a task without one */
export async function snapshotOf(workspace: Workspace, task: TaskName): Promise<Snapshot> {
	const snapshot = await new TaskSnapshots(workspace.own).of(task);
	if (snapshot) return snapshot;
	throw new NancyError('git', phrase`Nancy has no snapshot of the folder from when ${theTask(task)} began`);
}
