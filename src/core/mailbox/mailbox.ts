import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import {
	createFileAtomic,
	moveIfThere,
	moveIfThereSync,
	readTextIfExists,
	writeFileAtomic,
	writeFileAtomicSync,
} from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { ownIdentity, processOf, processWord } from '../../base/liveness.ts';
import type { Author } from '../../protocol/author.ts';
import { formatMessage, type MessageContent } from '../../protocol/message.ts';
import type { MessageId, SessionId } from '../../protocol/names.ts';
import { HandedParts, Receipt } from '../../protocol/records.ts';
import { jsonText } from '../files/jsonFile.ts';
import {
	CLAIM_FILE,
	MailboxFiles,
	MESSAGE_STATES,
	parseFile,
	parseReceipt,
	readIfThereSync,
	type ListOptions,
	type MailboxListing,
	type MessageState,
	type StoredMessage,
} from './mailboxFiles.ts';
import { Leases } from '../files/leases.ts';
import { newMessageId } from './messageId.ts';
import type { Seals } from './seals.ts';
import { parseLine } from '../traffic/jsonLines.ts';
import { messageFile } from '../files/paths.ts';

/** A deliverer's facts about a delivery. */
type DeliveryFacts = Pick<
	Receipt,
	'deliveredAt' | 'event' | 'driver' | 'session' | 'tool' | 'toolUseId' | 'rung' | 'parts'
>;

/** A message that this process has taken out of the inbox. Nobody else can take it. */
export interface Claim {
	id: MessageId;
	content: MessageContent;
	/** The author, as its seal says. */
	author: Author;
	earlierClaims: number;
	/** The agent has it: writes the receipt, then files the message. */
	deliver(facts: DeliveryFacts): void;
	/** The agent has these parts of it. The message goes back to the inbox until the rest is due. */
	keep(handed: HandedParts): void;
	/** The agent does not have it: back to the inbox. */
	release(): void;
}

/**
 * One worker's messages: a folder for each state, one file for each message, moved by rename. Any number of processes may use the same
 * mailbox at once. Nothing here is cached.
 */
export class Mailbox {
	private readonly files: MailboxFiles;
	private readonly leases: Leases;

	/** @param root the `.nancy` folder; no link below it is followed */
	constructor(
		root: string,
		readonly folder: string,
		private readonly seals: Seals,
	) {
		this.files = new MailboxFiles(root, folder, seals);
		this.leases = Leases.for(folder);
	}

	/** The path of a delivered message. */
	deliveredFile(id: string): string {
		return this.files.in('delivered', `${id}.md`);
	}

	/** See {@link MailboxFiles.list}. */
	list(states: readonly MessageState[] = MESSAGE_STATES, options?: ListOptions): Promise<MailboxListing> {
		return this.files.list(states, options);
	}

	/** Queues a message and returns its id. */
	async put(content: MessageContent, author: Author, id: MessageId = newMessageId()): Promise<MessageId> {
		await this.makeFolders();
		const text = formatMessage(content);
		if (existsSync(this.files.in('queued', messageFile(id)))) throw queuedAlready(id);
		await this.seals.seal(id, text, author);
		if (!(await createFileAtomic(this.files.in('queued', messageFile(id)), text))) throw queuedAlready(id);
		return id;
	}

	/** Whether a queued message is complete: see {@link MailboxFiles.isSettled}. */
	isSettled(message: StoredMessage): boolean {
		return this.files.isSettled(message);
	}

	/** Makes the folders, so that a person can drop a file by hand and a guard can look for one. */
	async makeFolders(): Promise<void> {
		this.files.refuseLinks();
		for (const state of ['queued', 'claimed', 'delivered'] as const) {
			if (!existsSync(this.files.in(state))) await mkdir(this.files.in(state), { recursive: true, mode: 0o700 });
		}
	}

	/**
	 * Takes queued messages, in delivery order, as long as `take` agrees. Exactly one claimer gets each message. Claims of dead processes
	 * return to the inbox first.
	 * @param mayTake is called once, before any chosen message is touched, and never without one
	 */
	async claim(
		take: (message: StoredMessage) => 'take' | 'leave' | 'stop',
		mayTake: (chosen: readonly StoredMessage[]) => Promise<boolean> = () => Promise.resolve(true),
	): Promise<Claim[]> {
		await this.recover();
		const { messages } = await this.list(['queued']);
		const chosen: StoredMessage[] = [];
		for (const message of messages) {
			const verdict = take(message);
			if (verdict === 'stop') break;
			if (verdict === 'take') chosen.push(message);
		}
		if (chosen.length === 0 || !(await mayTake(chosen))) return [];
		await this.makeFolders();
		// On a full disk a message can still be claimed. Without another machine beside it, no lease is needed.
		await this.leases.renew().catch(() => undefined);
		const claims: Claim[] = [];
		try {
			const claimed = this.claimedIds();
			for (const message of chosen) {
				const claim = this.isSettled(message) ? this.claimOne(message.id, claimed) : undefined;
				if (claim) claims.push(claim);
			}
			return claims;
		} catch (error) {
			// A full disk, or a folder without write permission. The claimed messages are left to the next hook.
			for (const claim of claims) claim.release();
			throw error;
		}
	}

	/** Returns the claims of dead processes to the inbox, or finishes them if the receipt was written already. */
	async recover(): Promise<MessageId[]> {
		this.files.refuseLinks();
		const returned: MessageId[] = [];
		for (const name of this.files.names('claimed')) {
			const match = CLAIM_FILE.exec(name);
			const id = this.files.idOf('claimed', name);
			if (!match || id === undefined) continue;
			if (await this.leases.isHeld(processOf(match.groups ?? {}))) continue;
			if (this.hasReceiptOfClaim(id)) {
				await moveIfThere(this.files.in('claimed', name), this.files.in('delivered', messageFile(id)));
				this.seals.file(id);
				continue;
			}
			writeFileAtomicSync(this.files.returnsFile(id), String(this.returns(id) + 1));
			if (this.giveBack(this.files.in('claimed', name), id)) returned.push(id);
		}
		return returned;
	}

	/**
	 * Puts a delivered message back into the inbox, because the agent's own record does not show it. The agent is told that it may know the
	 * message. The receipt stays in its place until the next delivery, whose receipt mentions this one.
	 * @returns false if somebody else was first, or the message has been filed away
	 */
	requeue(id: MessageId): boolean {
		this.files.refuseLinks();
		const receipt = this.receiptOf(id);
		if (!receipt) return false;
		const { deliveredAt, event, session, earlierClaims, lost = [] } = receipt;
		// A kill before the rename, or another process, has written the same.
		const others = lost.filter(each => each.deliveredAt !== deliveredAt);
		const again = { deliveredAt, event, session, queuedAgainAt: new Date().toISOString() };
		writeFileAtomicSync(
			this.files.receiptFile('delivered', id),
			jsonText({ ...receipt, lost: [...others, again] } satisfies Receipt),
		);
		writeFileAtomicSync(this.files.returnsFile(id), String(earlierClaims + 1));
		this.seals.unfile(id);
		return this.giveBack(this.deliveredFile(id), id);
	}

	/** The parts of a queued message that a session has been handed; empty if it begins anew. */
	handedParts(id: MessageId, session: SessionId): readonly number[] {
		const handed = HandedParts.safeParse(parseLine(this.files.ownText(this.files.partsFile(id))));
		return handed.success && handed.data.session === session ? handed.data.parts : [];
	}

	/** Makes every long message begin anew. Nobody knows whether its parts are in the conversation that goes on. */
	forgetParts(): void {
		this.files.refuseLinks();
		for (const file of this.files.partsFiles()) rmSync(file, { force: true });
	}

	/** Takes a queued message back. */
	async withdraw(id: MessageId): Promise<void> {
		if (!(await this.moveQueued(id, 'withdrawn'))) throw notQueued(id);
	}

	/** Files a message away: a delivered one that was acted on, or one that the human has read. */
	async archive(id: MessageId): Promise<void> {
		this.files.refuseLinks();
		await mkdir(this.files.in('archived'), { recursive: true, mode: 0o700 });
		if (await exists(this.files.in('delivered', messageFile(id)))) {
			// No other message of this name can be there: see claimOne.
			await moveIfThere(this.files.in('delivered', messageFile(id)), this.files.in('archived', messageFile(id)));
			return this.archiveReceipt(id);
		}
		if (await this.moveQueued(id, 'archived')) return this.archiveReceipt(id);
		// The archiver may have been killed before the receipt followed.
		if (await exists(this.files.in('archived', messageFile(id)))) return this.archiveReceipt(id);
		throw new NancyError('no-message', `there is no message ${id} in ${this.folder}`);
	}

	private async archiveReceipt(id: MessageId): Promise<void> {
		await moveIfThere(this.files.receiptFile('delivered', id), this.files.receiptFile('archived', id));
	}

	/**
	 * Replaces a queued message's content. Fails if it is no longer queued: its earlier text has been read.
	 * @param author the author from now on; by default the earlier one
	 */
	async edit(id: MessageId, change: (content: MessageContent) => MessageContent, author?: Author): Promise<void> {
		await this.makeFolders();
		const claim = this.claimOne(id);
		if (!claim) throw notQueued(id);
		try {
			const text = formatMessage(change(claim.content));
			await this.seals.seal(claim.id, text, author ?? claim.author);
			await writeFileAtomic(this.claimFile(claim.id), text);
			await rm(this.files.partsFile(claim.id), { force: true });
		} finally {
			claim.release();
		}
	}

	/** Puts queued messages into this order; those not named come after them. Urgent ones still go first. */
	async reorder(ids: readonly MessageId[]): Promise<void> {
		for (const [index, id] of ids.entries()) await this.edit(id, content => ({ ...content, order: index + 1 }));
	}

	/** Marks a message of the human's inbox as read; returns its id from now on. */
	async markRead(id: MessageId): Promise<MessageId> {
		const read = await this.moveQueued(id, 'delivered');
		if (read === undefined) throw notQueued(id);
		return read;
	}

	/** Notes why a queued message still waits, or clears the note. */
	async setHeld(id: MessageId, reason: string | undefined): Promise<void> {
		if (reason === undefined) await rm(this.files.heldFile(id), { force: true });
		else if (await exists(this.files.in('queued', messageFile(id))))
			await writeFileAtomic(this.files.heldFile(id), `${reason}\n`);
	}

	/** Adds later knowledge (the transcript shows the text) to a delivered message's receipt. */
	async updateReceipt(id: MessageId, change: (receipt: Receipt) => Receipt): Promise<void> {
		for (const state of ['delivered', 'archived'] as const) {
			const file = this.files.receiptFile(state, id);
			const text = await readTextIfExists(file);
			if (text === undefined) continue;
			await writeFileAtomic(file, `${JSON.stringify(change(Receipt.parse(JSON.parse(text))), null, '\t')}\n`);
			return;
		}
	}

	/** Returns the id it has there, or `undefined` when it is not queued any more. */
	private async moveQueued(id: MessageId, to: MessageState): Promise<MessageId | undefined> {
		this.files.refuseLinks();
		await mkdir(this.files.in(to), { recursive: true, mode: 0o700 });
		const filedAs = this.freeId(id);
		if (!(await moveIfThere(this.files.in('queued', messageFile(id)), this.files.in(to, messageFile(filedAs)))))
			return undefined;
		this.seals.file(id, filedAs);
		await rm(this.files.heldFile(id), { force: true });
		return filedAs;
	}

	/** A file saved again under the name of a filed message is a new message, and never overwrites the old one. */
	private freeId(id: MessageId, claimedIds: ReadonlySet<MessageId> = this.claimedIds()): MessageId {
		const filed = ['delivered', 'archived', 'withdrawn'] as const;
		const isTaken = claimedIds.has(id) || filed.some(state => existsSync(this.files.in(state, messageFile(id))));
		return isTaken ? newMessageId() : id;
	}

	private claimedIds(): ReadonlySet<MessageId> {
		const ids = this.files.names('claimed').map(name => this.files.idOf('claimed', name));
		return new Set(ids.filter(id => id !== undefined));
	}

	/**
	 * Synchronous, as is {@link Claim.deliver}. The hook program claims and files up to fifty messages while its agent waits, and a dozen
	 * trips through the thread pool for each would be most of that time.
	 */
	private claimOne(queuedAs: MessageId, claimedIds: ReadonlySet<MessageId> = this.claimedIds()): Claim | undefined {
		// Decided before the claim and part of its name, so a receipt of this id can only be this message's.
		const id = this.freeId(queuedAs, claimedIds);
		const claimed = this.claimFile(id);
		if (!moveIfThereSync(this.files.in('queued', messageFile(queuedAs)), claimed)) return undefined;
		const text = this.readClaimed(claimed, id);
		const parsed = parseFile(claimed, text);
		if (!parsed.ok) {
			this.giveBack(claimed, id);
			return undefined;
		}
		const author = this.files.authorOf('claimed', queuedAs, text);
		if (id !== queuedAs && author.is !== 'unknown') this.seals.rename(queuedAs, id);
		const deliveredFile = this.deliveredFile(id);
		const earlierClaims = this.returns(id);
		const lost = earlierClaims > 0 ? this.receiptOf(id)?.lost : undefined;
		return {
			id,
			content: parsed.content,
			author,
			earlierClaims,
			deliver: facts => {
				const told = { ...facts, author, ...(lost && { lost }) };
				const receipt = { ...told, version: 1, id, earlierClaims } satisfies Receipt;
				writeFileAtomicSync(this.files.receiptFile('delivered', id), jsonText(receipt));
				renameSync(claimed, deliveredFile);
				this.seals.file(id);
				const held = this.files.heldFile(queuedAs);
				if (existsSync(held)) rmSync(held, { force: true });
				if (earlierClaims > 0) rmSync(this.files.returnsFile(id), { force: true });
				if (facts.parts) rmSync(this.files.partsFile(id), { force: true });
			},
			keep: handed => {
				writeFileAtomicSync(this.files.partsFile(id), jsonText(handed));
				this.giveBack(claimed, id);
			},
			release: () => {
				this.giveBack(claimed, id);
			},
		};
	}

	/** An unreadable claim is left to the next hook, and the caller learns the reason. */
	private readClaimed(claimed: string, id: MessageId): string {
		try {
			return readIfThereSync(claimed) ?? '';
		} catch (error) {
			this.giveBack(claimed, id);
			throw error;
		}
	}

	/**
	 * Back to the inbox, under a new id if somebody has taken that name meanwhile: nothing is overwritten. The message's records take the
	 * new id first. Otherwise they would count for the other message.
	 */
	private giveBack(claimed: string, id: MessageId): boolean {
		const target = existsSync(this.files.in('queued', messageFile(id))) ? newMessageId() : id;
		if (target !== id && existsSync(claimed)) {
			moveIfThereSync(this.files.returnsFile(id), this.files.returnsFile(target));
			if (this.isSealed(claimed, id)) this.seals.rename(id, target);
		}
		return moveIfThereSync(claimed, this.files.in('queued', messageFile(target)));
	}

	private isSealed(claimed: string, id: MessageId): boolean {
		try {
			return this.files.authorOf('claimed', id, readIfThereSync(claimed) ?? '').is !== 'unknown';
		} catch {
			return false; // what cannot be read is nobody's
		}
	}

	/** Whether the present claim was delivered. An older receipt is of an earlier delivery, after which the message was queued again. */
	private hasReceiptOfClaim(id: MessageId): boolean {
		const receipt = this.receiptOf(id);
		return receipt !== undefined && receipt.earlierClaims >= this.returns(id);
	}

	/** Undefined also for one that does not parse. */
	private receiptOf(id: MessageId): Receipt | undefined {
		return parseReceipt(this.files.ownText(this.files.receiptFile('delivered', id)));
	}

	/** How often this message was given back: its claimer died, or the agent's own record did not show it. */
	private returns(id: MessageId): number {
		return existsSync(this.files.returnsFile(id))
			? Number(readFileSync(this.files.returnsFile(id), 'utf8')) || 0
			: 0;
	}

	private claimFile(id: MessageId): string {
		return this.files.in('claimed', `${processWord(ownIdentity())}-${messageFile(id)}`);
	}
}

function queuedAlready(id: MessageId): NancyError {
	return new NancyError('bad-message', `a message ${id} is queued already`);
}

function notQueued(id: MessageId): NancyError {
	return new NancyError(
		'not-queued',
		`message ${id} is not queued any more: the agent has read it, or it was taken back`,
	);
}

async function exists(file: string): Promise<boolean> {
	return stat(file).then(
		() => true,
		() => false,
	);
}
