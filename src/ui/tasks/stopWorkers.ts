import { l10n } from 'vscode';
import { hasBegun } from '../../core/workspace/workerLife.ts';
import { confirm } from '../kit/messages.ts';
import type { Operations } from '../ports.ts';
import { whoIs } from '../who.ts';
import type { WorkerItem } from './tasksView.ts';
import type { Terminals } from './terminals.ts';

interface Stopping {
	operations: Operations;
	terminals: Terminals;
}

/**
 * Asks once before agents are stopped while they start or in the middle of a turn. Idle ones lose nothing.
 * @throws CancellationError if the user says no
 */
export async function askedToStop(items: readonly WorkerItem[]): Promise<void> {
	const busy = items.filter(({ worker: { state } }) => state.phase !== 'idle' && state.phase !== 'ended');
	const [only, ...others] = busy;
	if (!only) return;
	const label = whoIs(only.folder, only.address);
	const question =
		others.length === 0 ? l10n.t('Stop “{0}”?', label) : l10n.t('Stop “{0}” and {1} more?', label, others.length);
	const detail = busy.every(({ worker: { record } }) => hasBegun(record))
		? l10n.t('The agent is in the middle of its work. You can resume its conversation later.')
		: l10n.t('An agent that has not begun its conversation can be started again later.');
	await confirm(question, detail, l10n.t('Stop'));
}

/** Ends a worker, and closes its terminal once the end counts as meant. */
export async function stopWorker({ operations, terminals }: Stopping, item: WorkerItem): Promise<void> {
	await operations.stop(item.folder, item.address, () => terminals.close(item));
	await item.folder.refresh();
}

export async function stopAll(own: Stopping, items: readonly WorkerItem[]): Promise<void> {
	await Promise.all(items.map(item => stopWorker(own, item)));
}
