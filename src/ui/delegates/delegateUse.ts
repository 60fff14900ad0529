import type { Delegate } from '../../core/delegates/delegate.ts';
import type { BudgetView, TaskView, WorkerView } from '../../core/live/overview.ts';
import { useOfRun, type Use } from '../../core/budgets/use.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { Folder } from '../ports.ts';

type Known = ReadonlyMap<string, Pick<WorkerView, 'use' | 'budget'>>;

/** By the mailbox. An overview's tasks are the same list until something has changed. */
const known = new WeakMap<readonly TaskView[], Known>();

/** What a delegate has taken so far: while it runs, as its agent's own record tells; else as its runner was told. */
export function useOfDelegate(folder: Pick<Folder, 'overview'>, { record, status }: Delegate): Use | undefined {
	return viewOf(folder, record)?.use ?? useOfRun(status);
}

/** Its own budget; `undefined` if nobody has set one. */
export function budgetOfDelegate(folder: Pick<Folder, 'overview'>, { record }: Delegate): BudgetView | undefined {
	return viewOf(folder, record)?.budget;
}

function viewOf(folder: Pick<Folder, 'overview'>, record: WorkerAddress) {
	const { tasks } = folder.overview();
	const views = known.get(tasks) ?? viewsIn(tasks);
	known.set(tasks, views);
	return views.get(mailboxName(record));
}

function viewsIn(tasks: readonly TaskView[]): Known {
	const delegates = tasks.flatMap(({ workers }) => workers).filter(({ record }) => record.delegate !== undefined);
	return new Map(delegates.map(view => [mailboxName({ task: view.record.task, worker: view.record.name }), view]));
}
