import type { TaskView, WorkerView } from '../core/live/overview.ts';
import type { Folders } from './folders.ts';
import type { Folder } from './ports.ts';

/** Everything in all folders that needs the user. Archived tasks do not count. */
export interface Needs {
	/** Messages that no agent has read yet. */
	queued: number;
	waiting: { folder: Folder; task: TaskView; worker: WorkerView }[];
	/** Messages that the human has not read. */
	unread: number;
}

export function needsOf(folders: Folders): Needs {
	const needs: Needs = { queued: 0, waiting: [], unread: 0 };
	for (const folder of folders.list()) {
		for (const task of folder.overview().tasks) {
			if (task.record.archivedAt !== undefined) continue;
			needs.unread += task.unread;
			for (const worker of task.workers) {
				const isDelegate = worker.record.delegate !== undefined;
				// Nobody will read the messages that an ended delegate has left.
				if (!isDelegate || worker.state.phase !== 'ended') needs.queued += worker.queued;
				// Nobody is there to ask: what it may not do is denied.
				if (worker.state.phase === 'waiting' && !isDelegate) needs.waiting.push({ folder, task, worker });
			}
		}
	}
	return needs;
}
