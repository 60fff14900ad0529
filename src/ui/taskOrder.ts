import type { TaskView } from '../core/overview.ts';

/** The tasks that are not archived, as every list shows them: those with a running worker first, then the newest. */
export function inOrder(tasks: readonly TaskView[]): TaskView[] {
	return tasks
		.filter(task => task.record.archivedAt === undefined)
		.toReversed()
		.toSorted((a, b) => Number(isRunning(b)) - Number(isRunning(a)));
}

function isRunning({ workers }: TaskView): boolean {
	return workers.some(({ state }) => state.phase !== 'ended');
}
