import type { Rung } from '../../protocol/records.ts';
import type { AgentEvent, DeliveryNote } from '../../protocol/traffic.ts';
import type { Batch } from '../mailbox/batch.ts';
import { deliveryNote, deliveryPlace } from '../mailbox/deliveryRecord.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

/** The program that has handed something over. */
interface HandedAt {
	readonly workspace: Workspace;
	/** Keeps a note for the traffic. */
	readonly note: (content: DeliveryNote) => void;
}

/** Seals what an agent has been handed at an event, writes the receipts and files the messages. */
export async function keepReceipts(
	{ workspace, note }: HandedAt,
	address: WorkerAddress,
	event: AgentEvent,
	{ claims, effect, parts }: Batch,
	rung: Rung,
): Promise<void> {
	const at = new Date().toISOString();
	const place = deliveryPlace(event, rung);
	const { session, transcript } = event;
	const delivery = { ...place, deliveredAt: at, transcript, ...(parts && { parts: parts.lengths }) };
	for (const claim of claims) {
		if (parts && !parts.isLast) claim.keep({ session, parts: parts.lengths });
		else claim.deliver(delivery);
	}
	note(deliveryNote(place, at, address, { messages: claims.map(({ id }) => id), effect }));
	await workspace.prepared.forget(session);
}
