import { existsSync, rmSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { createFileAtomic, moveIfThere, writeFileAtomic } from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import type { Author } from '../../protocol/author.ts';
import { formatMessage, type MessageContent } from '../../protocol/message.ts';
import type { MessageId, SessionId } from '../../protocol/names.ts';
import { HandedParts } from '../../protocol/records.ts';
import { Leases } from '../files/leases.ts';
import { parseLine } from '../traffic/jsonLines.ts';
import type { Held } from './held.ts';
import { MailboxFiles, type ListOptions, type MailboxListing, type StoredMessage } from './mailboxFiles.ts';
import { MailboxPaths, MESSAGE_STATES, stateOf, type MessageState } from './mailboxPaths.ts';
import { MessageClaims, type Claim } from './messageClaims.ts';
import { newMessageId } from './messageId.ts';
import { MessageReturns } from './messageReturns.ts';
import { readBesideSync } from './messageText.ts';
import type { Seals } from './seals.ts';

/**
 * One worker's messages: a folder for each state, one file for each message, moved by rename. Any number of processes may use the same
 * mailbox at once. Nothing here is cached.
 */
export class Mailbox {
	private readonly paths: MailboxPaths;
	private readonly files: MailboxFiles;
	private readonly leases: Leases;
	private readonly returns: MessageReturns;
	private readonly claims: MessageClaims;

	/** @param root the `.nancy` folder; no link below it is followed */
	constructor(
		root: string,
		readonly folder: string,
		private readonly seals: Seals,
	) {
		this.paths = new MailboxPaths(root, folder);
		this.files = new MailboxFiles(this.paths, seals);
		this.leases = Leases.for(folder);
		this.returns = new MessageReturns(this.paths, this.files, seals, this.leases);
		this.claims = new MessageClaims(this.paths, this.files, seals, this.returns);
	}

	/** The path of a delivered message. */
	deliveredFile(id: string): string {
		return this.paths.in('delivered', `${id}.md`);
	}

	/** See {@link MailboxFiles.list}. */
	list(states: readonly MessageState[] = MESSAGE_STATES, options?: ListOptions): Promise<MailboxListing> {
		return this.files.list(states, options);
	}

	/** Queues a message and returns its id. @throws NancyError `bad-message` if there is or was another message of that id */
	async put(content: MessageContent, author: Author, id: MessageId = newMessageId()): Promise<MessageId> {
		await this.makeFolders();
		const text = formatMessage(content);
		const file = this.paths.message('queued', id);
		if (!this.seals.forgetUnknown(id) || !this.returns.setAside(file, id)) throw queuedAlready(id);
		await this.seals.prepare();
		this.seals.seal(id, text, author);
		if (!(await createFileAtomic(file, text))) throw queuedAlready(id);
		return id;
	}

	/** Makes the folders, so that a person can drop a file by hand and a guard can look for one. */
	async makeFolders(): Promise<void> {
		this.paths.refuseLinks();
		for (const state of ['queued', 'claimed', 'delivered'] as const) {
			if (!existsSync(this.paths.in(state))) await mkdir(this.paths.in(state), { recursive: true, mode: 0o700 });
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
		// Without another machine beside it, a claim needs no lease.
		await this.leases.renew().catch(() => undefined);
		return this.claims.all(chosen);
	}

	/**
	 * Returns the claims of dead processes to the inbox, or finishes them if their seals say so already. Also returns messages that somebody
	 * else has moved out of the inbox.
	 * @returns the ids of the claims that were returned
	 */
	recover(): Promise<MessageId[]> {
		return this.returns.recover();
	}

	/**
	 * Puts a delivered message back into the inbox, because the agent's own record does not show it. The agent is told that it may know the
	 * message. The receipt stays in its place until the next delivery, whose receipt mentions this one.
	 * @returns false if the message is not sealed as delivered: somebody else was first, it was filed away, or Nancy has not delivered it
	 */
	requeue(id: MessageId): boolean {
		return this.returns.requeue(id);
	}

	/** The parts of a queued message that a session has been handed; empty if it begins anew. */
	handedParts(id: MessageId, session: SessionId): readonly number[] {
		const handed = HandedParts.safeParse(parseLine(readBesideSync(this.paths.parts(id))));
		return handed.success && handed.data.session === session ? handed.data.parts : [];
	}

	/** Makes every long message begin anew. Nobody knows whether its parts are in the conversation that goes on. */
	forgetParts(): void {
		this.paths.refuseLinks();
		for (const file of this.paths.allParts()) rmSync(file, { force: true });
	}

	/**
	 * Takes a queued message back, wherever its file is. An agent may have moved the file, and put another in its place. A hook that has
	 * claimed it hands it to nobody then.
	 * @returns whether an agent may have read it: an earlier hook died while it handed the message over, or the delivery was lost
	 * @throws NancyError `not-queued`
	 */
	async withdraw(id: MessageId): Promise<{ mayBeRead: boolean }> {
		const isSealed = this.seals.withdraw(id);
		if (!isSealed && this.seals.handedBy(id)) throw notQueued(id, 'is being delivered at this moment');
		const isFiled = (await this.fileQueued(id, 'withdrawn')) !== undefined;
		if (!isFiled && !isSealed) throw notQueued(id);
		this.seals.tidy(id);
		return { mayBeRead: this.returns.count(id) > 0 };
	}

	/** See {@link Seals.standing}. */
	standing(id: MessageId): ReturnType<Seals['standing']> {
		return this.seals.standing(id);
	}

	/** Files a message away: a delivered one that was acted on, or one that the human has read. */
	async archive(id: MessageId): Promise<void> {
		this.paths.refuseLinks();
		await mkdir(this.paths.in('archived'), { recursive: true, mode: 0o700 });
		if (await exists(this.paths.message('delivered', id))) {
			this.seals.archive(id);
			this.returns.finish(this.paths.message('delivered', id), id, 'archived');
			return this.archiveReceipt(id);
		}
		if (await this.fileQueued(id, 'archived')) return this.archiveReceipt(id);
		// The archiver may have been killed before the receipt followed.
		if (await exists(this.paths.message('archived', id))) return this.archiveReceipt(id);
		throw new NancyError('no-message', `there is no message ${id} in ${this.folder}`);
	}

	private async archiveReceipt(id: MessageId): Promise<void> {
		await moveIfThere(this.paths.receipt('delivered', id), this.paths.receipt('archived', id));
	}

	/**
	 * Replaces a queued message's content. Fails if it is no longer queued: its earlier text has been read.
	 * @param author the author from now on; by default the earlier one
	 */
	async edit(id: MessageId, change: (content: MessageContent) => MessageContent, author?: Author): Promise<void> {
		await this.makeFolders();
		const claim = this.claims.one(id);
		if (!claim) throw notQueued(id);
		try {
			const text = formatMessage(change(claim.content));
			this.seals.beginEdit(claim.id, text, author ?? claim.author);
			// Whoever took it back before this edit began knows only the earlier text.
			this.requireQueued(claim.id);
			await writeFileAtomic(this.paths.claim(claim.id), text);
			this.seals.settle(claim.id, text);
			await rm(this.paths.parts(claim.id), { force: true });
			this.requireQueued(claim.id);
		} finally {
			claim.release();
		}
	}

	private requireQueued(id: MessageId): void {
		const standing = this.standing(id);
		if (standing && standing.state !== 'queued') throw notQueued(id);
	}

	/** Puts queued messages into this order; those not named come after them. Urgent ones still go first. */
	async reorder(ids: readonly MessageId[]): Promise<void> {
		for (const [index, id] of ids.entries()) await this.edit(id, content => ({ ...content, order: index + 1 }));
	}

	/** Marks a message of the human's inbox as read; returns its id from now on. */
	async markRead(id: MessageId): Promise<MessageId> {
		const read = await this.fileQueued(id, 'read');
		if (read === undefined) throw notQueued(id);
		return read;
	}

	/** Notes why a queued message still waits, or clears the note. */
	async setHeld(id: MessageId, reason: Held | undefined): Promise<void> {
		if (reason === undefined) await rm(this.paths.held(id), { force: true });
		else if (await exists(this.paths.message('queued', id)))
			await writeFileAtomic(this.paths.held(id), `${JSON.stringify(reason)}\n`);
	}

	/** Notes that the agent's own record shows the whole text of a delivered message, and since when Nancy knows (UTC, ISO 8601). */
	noteInContext(id: MessageId, inContextAt: string): void {
		this.paths.refuseLinks();
		const state = (['delivered', 'archived'] as const).find(each => existsSync(this.paths.message(each, id)));
		if (state === undefined) return;
		const receipt = this.seals.noteInContext(id, inContextAt);
		if (receipt) this.returns.writeReceipt(state, id, receipt);
	}

	/** Returns the id it has there, or `undefined` when it is not queued any more. */
	private async fileQueued(id: MessageId, as: 'read' | 'archived' | 'withdrawn'): Promise<MessageId | undefined> {
		await this.makeFolders();
		await mkdir(this.paths.in(stateOf(as)), { recursive: true, mode: 0o700 });
		return this.claims.file(id, as);
	}
}

function queuedAlready(id: MessageId): NancyError {
	return new NancyError('bad-message', `there is a message ${id} already`);
}

function notQueued(
	id: MessageId,
	why = 'is not queued any more: the agent has read it, or somebody has taken it',
): NancyError {
	return new NancyError('not-queued', `message ${id} ${why}`);
}

async function exists(file: string): Promise<boolean> {
	return stat(file).then(
		() => true,
		() => false,
	);
}
