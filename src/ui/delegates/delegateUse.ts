import type { Delegate } from '../../core/delegates/delegate.ts';
import type { TaskView } from '../../core/live/overview.ts';
import { useOfRun, type Use } from '../../core/live/use.ts';
import { keyOf } from '../../core/live/taskMirror.ts';
import type { Folder } from '../ports.ts';

type Uses = ReadonlyMap<string, Use>;

/** By the mailbox. An overview's tasks are the same list until something has changed. */
const known = new WeakMap<readonly TaskView[], Uses>();

/** What a delegate has taken so far: while it runs, as its agent's own record tells; else as its runner was told. */
export function useOfDelegate(folder: Pick<Folder, 'overview'>, { record, status }: Delegate): Use | undefined {
	const { tasks } = folder.overview();
	const uses = known.get(tasks) ?? usesIn(tasks);
	known.set(tasks, uses);
	return uses.get(keyOf(record)) ?? useOfRun(status);
}

function usesIn(tasks: readonly TaskView[]): Uses {
	const uses = new Map<string, Use>();
	for (const { record, use } of tasks.flatMap(({ workers }) => workers))
		if (use && record.delegate !== undefined) uses.set(keyOf({ task: record.task, worker: record.name }), use);
	return uses;
}
