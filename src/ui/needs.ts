import type { TaskView, WorkerView } from '../core/live/overview.ts';
import type { Folders } from './folders.ts';
import type { Folder } from './ports.ts';

/** What the window should point at, over all folders; archived tasks need nobody. */
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
				// What a delegate left unread when it ended, nobody will read.
				if (!isDelegate || worker.state.phase !== 'ended') needs.queued += worker.queued;
				// Nobody is there to ask: what it may not do is denied.
				if (worker.state.phase === 'waiting' && !isDelegate) needs.waiting.push({ folder, task, worker });
			}
		}
	}
	return needs;
}
