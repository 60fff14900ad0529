import type { MessageId } from '../../protocol/names.ts';
import type { Receipt, WorkerRecord } from '../../protocol/records.ts';
import type { Driver } from '../driver/driver.ts';
import { transcriptIn } from '../driver/driverIn.ts';
import { MOST_LOST } from '../mailbox/due.ts';
import type { StoredMessage } from '../mailbox/mailboxFiles.ts';
import { searchRecord } from './recordSearch.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

/** A CLI may record a delivery this much later, in milliseconds. */
export const SETTLING_MS = 5000;

/** How many of the newest delivered messages are looked at while an agent waits. */
const NEWEST = 200;

/** A delivered message that nothing has proven to be in the conversation. */
export type Unproven = StoredMessage & { receipt: Receipt; transcript: string };

type Drivers = readonly Pick<Driver, 'id' | 'transcript'>[];

/** A list is another one once its mailbox was read again. Each second, thousands of messages are asked for that have not changed. */
const unprovenOf = new WeakMap<readonly StoredMessage[], readonly Unproven[]>();

/** Deliveries that may have been lost. Only sealed ones: a receipt below the workspace could replay words that the user took back. */
export function unproven(drivers: Drivers, delivered: readonly StoredMessage[]): readonly Unproven[] {
	const known = unprovenOf.get(delivered) ?? unprovenIn(drivers, delivered);
	unprovenOf.set(delivered, known);
	return known;
}

function unprovenIn(drivers: Drivers, delivered: readonly StoredMessage[]): Unproven[] {
	return delivered.flatMap(message => {
		const { receipt, transcript } = message;
		if (!receipt || transcript === undefined || receipt.inContextAt !== undefined) return [];
		return mayBeLost(drivers, receipt) ? [{ ...message, receipt, transcript }] : [];
	});
}

/** After so many lost deliveries of one message, Nancy doubts a CLI's record and not the message. */
function mayBeLost(drivers: Drivers, { driver, lost = [] }: Receipt): boolean {
	if (lost.length < MOST_LOST) return true;
	const format = transcriptIn(drivers, driver);
	return format !== 'none' && format.isNancys;
}

/**
 * Settles deliveries whose turn is certainly over. If the CLI's own record shows a delivery, it is proven. If not, it never reached the
 * model, and exactly one of several processes queues it again. If the CLI keeps no such record, or the record is gone, nothing is known and
 * the message stays delivered. The record is the one that was sealed at the delivery. Writes no receipts of proven ones: that is too much
 * while an agent waits.
 */
export async function settleDeliveries(
	workspace: Workspace,
	drivers: Drivers,
	address: WorkerAddress,
	over: readonly Unproven[],
): Promise<{ again: MessageId[]; proven: MessageId[] }> {
	const again: MessageId[] = [];
	const proven: MessageId[] = [];
	const mailbox = workspace.mailbox(address);
	for (const transcript of new Set(over.map(each => each.transcript))) {
		const inRecord = over.filter(each => each.transcript === transcript);
		const format = transcriptIn(drivers, inRecord[0]?.receipt.driver ?? '');
		if (format === 'none') continue;
		const own = inRecord.filter(({ receipt }) => format.keepsDelivery(receipt));
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
 * Settles the deliveries of an earlier process of this worker, or of an earlier conversation. For a process that starts the worker, or
 * meets a new session of it.
 * @param isGone the process of these deliveries has ended, so it will record nothing more
 */
export async function settleEarlier(
	workspace: Workspace,
	drivers: Drivers,
	worker: WorkerRecord,
	isGone: boolean,
): Promise<void> {
	const address = { task: worker.task, worker: worker.name };
	const mailbox = workspace.mailbox(address);
	if (isGone) mailbox.forgetParts();
	const { messages } = await mailbox.list(['delivered'], { newest: NEWEST });
	const over = unproven(drivers, messages).filter(
		({ receipt }) => isGone || isSettled(receipt.deliveredAt, Date.now()),
	);
	await settleDeliveries(workspace, drivers, address, over);
}

/** Whether a delivery of that moment (UTC, ISO 8601) would have been recorded by now. */
export function isSettled(at: string, nowMs: number): boolean {
	return nowMs - Date.parse(at) > SETTLING_MS;
}
