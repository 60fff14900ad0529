import type { Operations } from '../ports.ts';
import type { WorkerItem } from './tasksView.ts';
import type { Terminals } from './terminals.ts';

interface Stopping {
	operations: Operations;
	terminals: Terminals;
}

/** Ends a worker, and closes its terminal once the end counts as meant. */
export async function stopWorker({ operations, terminals }: Stopping, item: WorkerItem): Promise<void> {
	await operations.stop(item.folder, item.address, () => terminals.close(item));
	await item.folder.refresh();
}

export async function stopAll(own: Stopping, items: readonly WorkerItem[]): Promise<void> {
	await Promise.all(items.map(item => stopWorker(own, item)));
}
