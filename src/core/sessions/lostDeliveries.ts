import type { MessageId } from '../../protocol/names.ts';
import type { Receipt, WorkerRecord } from '../../protocol/records.ts';
import type { Driver } from '../driver/driver.ts';
import type { StoredMessage } from '../mailbox/mailboxFiles.ts';
import { searchRecord } from './recordSearch.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** A CLI may write what it was handed this long after it was handed it, in milliseconds. */
export const SETTLING_MS = 5000;

/** After so many lost deliveries of one message the record, not the message, is in doubt. */
const MOST_LOST = 3;

/** How many of the newest delivered messages are looked at where an agent waits. */
const NEWEST = 200;

/** A delivered message that nothing has proven to be in the conversation. */
export type Unproven = StoredMessage & { receipt: Receipt };

/** Those that may have been lost, of messages that count as delivered. */
export function unproven(delivered: readonly StoredMessage[]): Unproven[] {
	return delivered.flatMap(message => {
		const { receipt } = message;
		if (!receipt || receipt.inContextAt !== undefined || (receipt.lost?.length ?? 0) >= MOST_LOST) return [];
		return [{ ...message, receipt }];
	});
}

/**
 * Settles deliveries whose turn is certainly over. One that the CLI's own record shows is proven. One that it does not show never
 * reached the model, and is queued again; exactly one of several processes that come to this does it. Where the CLI keeps no such
 * record, or the record is gone, nothing is known and the delivery stands.
 * Writes nothing about what is proven: where an agent waits, a receipt for each message is too much.
 */
export async function settleDeliveries(
	workspace: Workspace,
	drivers: readonly Pick<Driver, 'id' | 'transcript'>[],
	worker: WorkerRecord,
	over: readonly Unproven[],
): Promise<{ again: MessageId[]; proven: MessageId[] }> {
	const again: MessageId[] = [];
	const proven: MessageId[] = [];
	const mailbox = workspace.mailbox({ task: worker.task, worker: worker.name });
	for (const { id: session, transcript } of worker.sessions) {
		const inSession = over.filter(({ receipt }) => receipt.session === session);
		const format = drivers.find(({ id }) => id === inSession[0]?.receipt.driver)?.transcript;
		if (transcript === undefined || format === undefined || format === 'none') continue;
		const own = inSession.filter(({ receipt }) => format.keepsDelivery(receipt));
		if (own.length === 0) continue;
		const found = await searchRecord(transcript, format, own);
		for (const { id } of own) {
			const presence = found?.get(id);
			if (presence === 'missing' && mailbox.requeue(id)) again.push(id);
			if (presence === 'whole') proven.push(id);
		}
	}
	return { again, proven };
}

/**
 * Settles what an earlier process of this worker, or an earlier conversation, was handed. For whoever starts a process or meets a
 * new session.
 * @param isGone the process that was handed it has ended: what it has not written by now it never will
 */
export async function settleEarlier(
	workspace: Workspace,
	drivers: readonly Pick<Driver, 'id' | 'transcript'>[],
	worker: WorkerRecord,
	isGone: boolean,
): Promise<void> {
	const mailbox = workspace.mailbox({ task: worker.task, worker: worker.name });
	if (isGone) mailbox.forgetParts();
	const { messages } = await mailbox.list(['delivered'], { newest: NEWEST });
	const over = unproven(messages).filter(({ receipt }) => isGone || isSettled(receipt.deliveredAt, Date.now()));
	await settleDeliveries(workspace, drivers, worker, over);
}

/** Whether what was handed over at that moment (UTC, ISO 8601) would have been written by now. */
export function isSettled(at: string, nowMs: number): boolean {
	return nowMs - Date.parse(at) > SETTLING_MS;
}
