import { existsSync, lstatSync, rmSync } from 'node:fs';
import { moveIfThereSync, writeFileAtomicSync } from '../../base/atomicFile.ts';
import { processOf } from '../../base/liveness.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { Receipt } from '../../protocol/records.ts';
import { jsonText } from '../files/jsonFile.ts';
import type { Leases } from '../files/leases.ts';
import type { MailboxFiles } from './mailboxFiles.ts';
import { CLAIM_FILE, FILED_STATES, idOf, stateOf, type MailboxPaths, type MessageState } from './mailboxPaths.ts';
import { newMessageId } from './messageId.ts';
import { readBesideSync, readMessageTextSync } from './messageText.ts';
import { readReceipt, type FiledAs } from './seal.ts';
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
		await this.endHandings();
		const returned: MessageId[] = [];
		for (const name of this.paths.names('claimed')) {
			const match = CLAIM_FILE.exec(name);
			const id = idOf('claimed', name);
			if (!match || id === undefined) continue;
			if (await this.leases.isHeld(processOf(match.groups ?? {}))) continue;
			if (this.settle(this.paths.in('claimed', name), id)) returned.push(id);
		}
		this.returnMisplaced();
		return returned;
	}

	/** What a hook handed over when it died, waits again. Nobody knows whether the agent has it. */
	private async endHandings(): Promise<void> {
		const claimed = this.paths.claimedIds();
		for (const id of new Set([...claimed, ...this.seals.unfiledIds()])) {
			const by = this.seals.handedBy(id);
			if (!by || (await this.leases.isHeld(by))) continue;
			// A claim is counted when it is given back. Somebody may have moved its file.
			if (!claimed.has(id)) this.note(id, this.count(id) + 1);
			this.seals.keepQueued(id, by);
		}
	}

	/** Ends the claim of a dead process as its seal says. True if the message was given back. */
	private settle(claimed: string, id: MessageId): boolean {
		const text = textOf(claimed) ?? '';
		// A message that a living hook hands over is left to it, whatever the name of the file says.
		if (this.isFinished(claimed, id, text) || this.seals.handedBy(id)) return false;
		this.seals.settle(id, text);
		this.note(id, this.count(id) + 1);
		return this.giveBack(claimed, id);
	}

	/** Ends the claim of this process without a delivery. The message may have been taken back meanwhile, while its text was edited. */
	release(claimed: string, id: MessageId): void {
		this.seals.keepQueued(id);
		const state = this.seals.standing(id)?.state ?? 'queued';
		if (state === 'queued' || state === 'handing') this.giveBack(claimed, id);
		else this.finish(claimed, id, state);
	}

	/** Files a message away whose seal says that it waits no more. */
	private isFinished(file: string, id: MessageId, text: string): boolean {
		const filed = this.files.sealedOf(id, text) ? undefined : this.files.filedOf(id, text);
		if (filed?.as === undefined || filed.as === 'handing') return false;
		this.finish(file, id, filed.as, readReceipt(filed.receipt));
		return true;
	}

	/** Files a message away that was taken back. Its words reach nobody under its id, whoever puts them into the inbox again. */
	isWithdrawn(file: string, id: MessageId, text: string): boolean {
		return this.files.filedOf(id, text)?.as === 'withdrawn' && this.isFinished(file, id, text);
	}

	/** Moves a message to where its seal says. What somebody else has put there under its name gets another. */
	finish(file: string, id: MessageId, as: FiledAs, receipt?: Receipt): void {
		this.paths.refuseLinks();
		const state = stateOf(as);
		this.paths.make(state);
		const target = this.paths.message(state, id);
		if (receipt) this.writeReceipt(state, id, receipt);
		if (existsSync(target) && !this.files.filedOf(id, textOf(target) ?? ''))
			moveIfThereSync(target, this.paths.message(state, newMessageId()));
		moveIfThereSync(file, target);
		const held = this.paths.held(id);
		if (existsSync(held)) rmSync(held, { force: true, recursive: true });
		this.seals.tidy(id);
	}

	/** Writes the receipt that people read. The seal has it too, so nothing waits if a folder is in its place. */
	writeReceipt(state: MessageState, id: MessageId, receipt: Receipt): void {
		try {
			writeFileAtomicSync(this.paths.receipt(state, id), jsonText(receipt));
		} catch {}
	}

	/**
	 * Files away messages in the inbox that were taken back while a hook had them. Gives back messages that somebody else has moved out of
	 * the inbox: their seals wait, and no claim explains where their files are. The folders are read before the seals, because a seal is
	 * written before its file moves.
	 */
	private returnMisplaced(): void {
		for (const name of this.paths.names('queued')) {
			const id = idOf('queued', name);
			const file = this.paths.in('queued', name);
			if (id !== undefined && this.seals.isFiled(id)) this.isWithdrawn(file, id, textOf(file) ?? '');
		}
		const claimed = this.paths.claimedIds();
		for (const id of this.seals.unfiledIds()) {
			if (this.seals.isFiled(id)) {
				const inbox = this.paths.message('queued', id);
				this.isFinished(inbox, id, textOf(inbox) ?? '');
				this.seals.tidy(id);
				continue;
			}
			if (claimed.has(id) || existsSync(this.paths.message('queued', id))) continue;
			const found = FILED_STATES.map(state => this.paths.message(state, id)).filter(existsSync);
			if (found.length === 0) continue;
			if (!this.files.isQueued(id)) this.seals.tidy(id);
			else for (const file of found) this.returnUnfiled(file, id);
		}
	}

	/** Another message of this id may have been filed before. */
	private returnUnfiled(file: string, id: MessageId): void {
		const text = textOf(file);
		if (text !== undefined && !this.files.filedOf(id, text)) this.giveBack(file, id);
	}

	/** See {@link Mailbox.requeue}. */
	requeue(id: MessageId): boolean {
		const delivered = this.paths.message('delivered', id);
		const sealed = this.files.filedOf(id, textOf(delivered) ?? '');
		const receipt = sealed?.as === 'delivered' ? readReceipt(sealed.receipt) : undefined;
		const claimed = this.paths.claim(id);
		if (!sealed || !receipt || !moveIfThereSync(delivered, claimed)) return false;
		const { deliveredAt, event, session, earlierClaims, lost = [] } = receipt;
		const again = { deliveredAt, event, session, queuedAgainAt: new Date().toISOString() };
		this.seals.unfile(id, { ...sealed, receipt: { ...receipt, lost: [...lost, again] } satisfies Receipt });
		this.note(id, earlierClaims + 1);
		return this.giveBack(claimed, id);
	}

	/**
	 * Back to the inbox. If somebody has taken that name meanwhile, one of the two gets a new id: nothing is overwritten. The seal keeps
	 * its id, so whoever takes back that id takes back the sealed words. If there are two copies, the one in the inbox is the message.
	 * @returns false if somebody else has moved the file
	 */
	giveBack(file: string, id: MessageId): boolean {
		this.paths.refuseLinks();
		const inbox = this.paths.message('queued', id);
		if (!existsSync(inbox) || !existsSync(file)) return moveIfThereSync(file, inbox);
		const other = newMessageId();
		if (this.isSealed(file, id) && !this.isSealed(inbox, id)) {
			moveIfThereSync(inbox, this.paths.message('queued', other));
			return moveIfThereSync(file, inbox);
		}
		// Its record takes the new id first. Otherwise it would count for the other message.
		moveIfThereSync(this.paths.returns(id), this.paths.returns(other));
		return moveIfThereSync(file, this.paths.message('queued', other));
	}

	/** Gives a file of a queued message's name another one, if it is not that message. False if it is. */
	setAside(file: string, id: MessageId): boolean {
		if (this.isSealed(file, id)) return false;
		moveIfThereSync(file, this.paths.message('queued', newMessageId()));
		return true;
	}

	private isSealed(file: string, id: MessageId): boolean {
		return this.files.sealedOf(id, textOf(file) ?? '') !== undefined;
	}

	/** How often this message was given back: its claimer died, or the agent's own record did not show it. */
	count(id: MessageId): number {
		const file = this.paths.returns(id);
		const count = existsSync(file) ? Number(readBesideSync(file)) : 0;
		// Its receipt would be none with another number.
		return Number.isSafeInteger(count) && count > 0 ? count : 0;
	}

	private note(id: MessageId, count: number): void {
		const file = this.paths.returns(id);
		// Somebody has put a folder there. It would keep the whole mailbox from being handed over.
		if (existsSync(file) && !lstatSync(file).isFile())
			moveIfThereSync(file, this.paths.in('claimed', newMessageId()));
		writeFileAtomicSync(file, String(count));
	}
}

/** Undefined for what is no plain file, or cannot be read. */
function textOf(file: string): string | undefined {
	try {
		return readMessageTextSync(file);
	} catch {
		return undefined;
	}
}
