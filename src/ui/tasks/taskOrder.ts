import { OWN_TASK } from '../../core/delegates/ownTask.ts';
import type { TaskView, WorkerView } from '../../core/live/overview.ts';

/** The tasks that are not archived, newest first. A list that is ordered by states would move its rows while one looks at it. */
export function inOrder(tasks: readonly TaskView[]): TaskView[] {
	return tasks.filter(task => task.record.archivedAt === undefined).toReversed();
}

/** A task that exists only for delegates is not shown: delegates have a view of their own. */
export function isShown({ record, workers }: TaskView): boolean {
	return record.name !== OWN_TASK || workersOf(workers).length > 0;
}

/** The workers that are no delegates. */
export function workersOf(workers: readonly WorkerView[]): WorkerView[] {
	return workers.filter(({ record }) => record.delegate === undefined);
}

/** Whether messages to it make sense. An ended delegate reads no more. */
export function isAddressed({ record, state }: WorkerView): boolean {
	return record.delegate === undefined || state.phase !== 'ended';
}

/** Whether one of its agents runs, delegates too. */
export function hasRunning({ workers }: TaskView): boolean {
	return workers.some(({ state }) => state.phase !== 'ended');
}
