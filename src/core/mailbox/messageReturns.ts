import { existsSync, readFileSync } from 'node:fs';
import { moveIfThere, moveIfThereSync, writeFileAtomicSync } from '../../base/atomicFile.ts';
import { processOf } from '../../base/liveness.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { Receipt } from '../../protocol/records.ts';
import { jsonText } from '../files/jsonFile.ts';
import type { Leases } from '../files/leases.ts';
import { parseReceipt, type MailboxFiles } from './mailboxFiles.ts';
import { CLAIM_FILE, idOf, type MailboxPaths } from './mailboxPaths.ts';
import { newMessageId } from './messageId.ts';
import { readBesideSync, readMessageTextSync } from './messageText.ts';
import type { Seals } from './seals.ts';

/** The ways of a message back into the inbox: its claimer gave it up or died, or the agent's own record does not show it. */
export class MessageReturns {
	constructor(
		private readonly paths: MailboxPaths,
		private readonly files: MailboxFiles,
		private readonly seals: Seals,
		private readonly leases: Leases,
	) {}

	/** See {@link Mailbox.recover}. */
	async recover(): Promise<MessageId[]> {
		this.paths.refuseLinks();
		const returned: MessageId[] = [];
		for (const name of this.paths.names('claimed')) {
			const match = CLAIM_FILE.exec(name);
			const id = idOf('claimed', name);
			if (!match || id === undefined) continue;
			if (await this.leases.isHeld(processOf(match.groups ?? {}))) continue;
			const claimed = this.paths.in('claimed', name);
			if (this.hasReceiptOfClaim(id)) {
				await moveIfThere(claimed, this.paths.message('delivered', id));
				this.seals.file(id);
				continue;
			}
			this.note(id, this.count(id) + 1);
			if (this.giveBack(claimed, id)) returned.push(id);
		}
		return returned;
	}

	/** See {@link Mailbox.requeue}. */
	requeue(id: MessageId): boolean {
		this.paths.refuseLinks();
		const receipt = this.receiptOf(id);
		if (!receipt) return false;
		const { deliveredAt, event, session, earlierClaims, lost = [] } = receipt;
		// A kill before the rename, or another process, has written the same.
		const others = lost.filter(each => each.deliveredAt !== deliveredAt);
		const again = { deliveredAt, event, session, queuedAgainAt: new Date().toISOString() };
		writeFileAtomicSync(
			this.paths.receipt('delivered', id),
			jsonText({ ...receipt, lost: [...others, again] } satisfies Receipt),
		);
		this.note(id, earlierClaims + 1);
		this.seals.unfile(id);
		return this.giveBack(this.paths.message('delivered', id), id);
	}

	/**
	 * Back to the inbox, under a new id if somebody has taken that name meanwhile: nothing is overwritten. The message's records take the
	 * new id first. Otherwise they would count for the other message.
	 * @returns false if somebody else has moved the file
	 */
	giveBack(file: string, id: MessageId): boolean {
		const target = existsSync(this.paths.message('queued', id)) ? newMessageId() : id;
		if (target !== id && existsSync(file)) {
			moveIfThereSync(this.paths.returns(id), this.paths.returns(target));
			if (this.isSealed(file, id)) this.seals.rename(id, target);
		}
		return moveIfThereSync(file, this.paths.message('queued', target));
	}

	/** How often this message was given back: its claimer died, or the agent's own record did not show it. */
	count(id: MessageId): number {
		const file = this.paths.returns(id);
		return existsSync(file) ? Number(readFileSync(file, 'utf8')) || 0 : 0;
	}

	/** Undefined also for one that does not parse. */
	receiptOf(id: MessageId): Receipt | undefined {
		return parseReceipt(readBesideSync(this.paths.receipt('delivered', id)));
	}

	private note(id: MessageId, count: number): void {
		writeFileAtomicSync(this.paths.returns(id), String(count));
	}

	private isSealed(file: string, id: MessageId): boolean {
		try {
			return this.files.authorOf('claimed', id, readMessageTextSync(file) ?? '').is !== 'unknown';
		} catch {
			return false; // what cannot be read is nobody's
		}
	}

	/** Whether the present claim was delivered. An older receipt is of an earlier delivery, after which the message was queued again. */
	private hasReceiptOfClaim(id: MessageId): boolean {
		const receipt = this.receiptOf(id);
		return receipt !== undefined && receipt.earlierClaims >= this.count(id);
	}
}
