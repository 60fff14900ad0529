import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { hasBegun } from '../../core/workspace/workerLife.ts';
import { whoIs } from '../who.ts';
import type { Orchestrator } from './orchestrate.ts';
import type { WorkerItem } from './tasksView.ts';

/** What a worker does after its agent has ended: goes on with its conversation or, if it has none, starts again. */

export function isLive({ worker }: WorkerItem): boolean {
	return worker.state.phase !== 'ended';
}

export function hasConversation({ worker }: WorkerItem): boolean {
	return hasBegun(worker.record);
}

export function isResumable(item: WorkerItem): boolean {
	return !isLive(item) && hasConversation(item);
}

export function isUnbegun(item: WorkerItem): boolean {
	return !isLive(item) && !hasConversation(item);
}

/** @throws NancyError `wrong-state` for a worker without a conversation: a notification or a row may be old */
export async function resumeWorker(orchestrator: Pick<Orchestrator, 'resume'>, item: WorkerItem): Promise<void> {
	const { folder, address, worker } = item;
	if (!hasConversation(item))
		throw new NancyError(
			'wrong-state',
			l10n.t('{0} has not begun a conversation. Use “Start Again”.', whoIs(folder, address)),
		);
	await orchestrator.resume(folder, address, worker.record.agent);
}

/** @throws NancyError `wrong-state` for a worker that runs or has a conversation: a notification or a row may be old */
export async function startAgain(orchestrator: Pick<Orchestrator, 'startAgain'>, item: WorkerItem): Promise<void> {
	const { folder, address, task } = item;
	const who = whoIs(folder, address);
	if (isLive(item)) throw new NancyError('wrong-state', l10n.t('{0} is running.', who));
	if (hasConversation(item))
		throw new NancyError('wrong-state', l10n.t('{0} has begun a conversation. Use “Resume Worker”.', who));
	await orchestrator.startAgain(folder, task.record, address.worker);
}
