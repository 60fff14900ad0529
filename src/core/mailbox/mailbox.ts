import { existsSync, rmSync } from 'node:fs';
import { createFileAtomic, moveIfThereSync, writeFileAtomicSync } from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Author } from '../../protocol/author.ts';
import { formatMessage, type MessageContent } from '../../protocol/message.ts';
import type { MessageId, SessionId } from '../../protocol/names.ts';
import { CAN_HOLD } from '../files/heldFolder.ts';
import { Leases } from '../files/leases.ts';
import type { Held } from './held.ts';
import { MailboxFiles, type ListOptions, type MailboxListing, type StoredMessage } from './mailboxFiles.ts';
import { MailboxPaths, MESSAGE_STATES, stateOf, type MessageState } from './mailboxPaths.ts';
import { MessageClaims, type Claim } from './messageClaims.ts';
import { newMessageId } from './messageId.ts';
import { MessageReturns } from './messageReturns.ts';
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

	/**
	 * @param root the `.nancy` folder; no link below it is followed
	 * @param canHold whether the system lets a process hold a folder: see core/files/heldFolder
	 */
	constructor(
		root: string,
		readonly folder: string,
		private readonly seals: Seals,
		canHold = CAN_HOLD,
	) {
		this.paths = new MailboxPaths(root, folder, canHold);
		this.files = new MailboxFiles(this.paths, seals);
		this.leases = Leases.for(folder);
		this.returns = new MessageReturns(this.paths, this.files, seals, this.leases);
		this.claims = new MessageClaims(this.paths, this.files, seals, this.returns);
	}

	/** The path of a delivered message. */
	deliveredFile(id: string): string {
		return this.paths.file('delivered', `${id}.md`);
	}

	/** Does several things in the very same folders: see {@link MailboxPaths.holding}. */
	holding<T>(act: () => Promise<T>): Promise<T> {
		return this.paths.holdingDuring(act);
	}

	/** The path of a file beside the folders of the states, within {@link holding}. */
	beside(name: string): string {
		return this.paths.beside(name);
	}

	/** Whether a file in the inbox ends as a message does, within {@link holding}. */
	isWaiting(): boolean {
		return this.paths.names('queued').length > 0;
	}

	/**
	 * Whether a message has not come to its end: it waits, somebody has claimed it, or its file was moved. If none has, {@link claim} and
	 * {@link recover} have nothing to do. Three folders are listed, and no file is read.
	 */
	hasOpen(): boolean {
		const isListed = (state: MessageState) => this.paths.names(state).length > 0;
		return (
			this.paths.holding(() => isListed('queued') || isListed('claimed')) || this.seals.unfiledIds().length > 0
		);
	}

	/** See {@link MailboxFiles.list}. */
	list(states: readonly MessageState[] = MESSAGE_STATES, options?: ListOptions): Promise<MailboxListing> {
		return this.files.list(states, options);
	}

	/** Queues a message and returns its id. @throws NancyError `bad-message` if there is or was another message of that id */
	async put(content: MessageContent, author: Author, id: MessageId = newMessageId()): Promise<MessageId> {
		return this.paths.holdingDuring(async () => {
			this.makeQueue();
			const text = formatMessage(content);
			const file = this.paths.message('queued', id);
			if (!this.seals.forgetUnknown(id) || !this.returns.setAside(file, id)) throw queuedAlready(id);
			await this.seals.prepare();
			this.seals.seal(id, text, author);
			if (!(await createFileAtomic(file, text))) throw queuedAlready(id);
			return id;
		});
	}

	/** Makes the folders, so that a person can drop a file by hand and a guard can look for one. */
	async makeFolders(): Promise<void> {
		this.paths.holding(() => this.makeQueue());
	}

	private makeQueue(): void {
		for (const state of ['queued', 'claimed', 'delivered'] as const) this.paths.make(state);
	}

	/**
	 * Takes queued messages, in delivery order, as long as `take` agrees. Exactly one claimer gets each message. Claims of dead processes
	 * return to the inbox first.
	 * @param mayTake is called once, before any chosen message is touched, and never without one
	 */
	claim(
		take: (message: StoredMessage) => 'take' | 'leave' | 'stop',
		mayTake: (chosen: readonly StoredMessage[]) => Promise<boolean> = () => Promise.resolve(true),
	): Promise<Claim[]> {
		return this.paths.holdingDuring(() => this.claimDue(take, mayTake));
	}

	private async claimDue(...[take, mayTake]: Required<Parameters<Mailbox['claim']>>): Promise<Claim[]> {
		await this.recover();
		const { messages } = await this.list(['queued']);
		const chosen: StoredMessage[] = [];
		for (const message of messages) {
			const verdict = take(message);
			if (verdict === 'stop') break;
			if (verdict === 'take') chosen.push(message);
		}
		if (chosen.length === 0 || !(await mayTake(chosen))) return [];
		this.makeQueue();
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
		return this.paths.holdingDuring(() => this.returns.recover());
	}

	/**
	 * Puts a delivered message back into the inbox, because the agent's own record does not show it. The agent is told that it may know the
	 * message. The receipt stays in its place until the next delivery, whose receipt mentions this one.
	 * @returns false if the message is not sealed as delivered: somebody else was first, it was filed away, or Nancy has not delivered it
	 */
	requeue(id: MessageId): boolean {
		return this.paths.holding(() => this.returns.requeue(id));
	}

	/** The parts of a queued message that a session has been handed; empty if it begins anew. */
	handedParts({ id, content }: Pick<StoredMessage, 'id' | 'content'>, session: SessionId): readonly number[] {
		return this.seals.partsOf(id, content.text, session);
	}

	/** Makes every long message begin anew. Nobody knows whether its parts are in the conversation that goes on. */
	forgetParts(): void {
		this.seals.forgetParts();
	}

	/**
	 * Takes a queued message back, wherever its file is. An agent may have moved the file, and put another in its place. A hook that has
	 * claimed it hands it to nobody then.
	 * @returns whether an agent may have read it: an earlier hook died while it handed the message over, or the delivery was lost
	 * @throws NancyError `not-queued`
	 */
	async withdraw(id: MessageId): Promise<{ mayBeRead: boolean }> {
		const isSealed = this.seals.withdraw(id);
		if (!isSealed && this.seals.handedBy(id)) throw notQueued(id, phrase`is being delivered at this moment`);
		return this.paths.holding(() => {
			const isFiled = this.fileQueued(id, 'withdrawn') !== undefined;
			// Its file may not have been filed then: see HeldFolder.make.
			const isBack = isSealed || this.standing(id)?.state === 'withdrawn';
			if (!isFiled && !isBack) throw notQueued(id);
			this.seals.tidy(id);
			const mayBeRead = this.returns.count(id) > 0 || this.seals.isInParts(id);
			this.seals.forgetParts(id);
			return { mayBeRead };
		});
	}

	/** See {@link Seals.standing}. */
	standing(id: MessageId): ReturnType<Seals['standing']> {
		return this.seals.standing(id);
	}

	/** Files a message away: a delivered one that was acted on, or one that the human has read. */
	async archive(id: MessageId): Promise<void> {
		this.paths.holding(() => {
			this.archiveMessage(id);
			moveIfThereSync(this.paths.receipt('delivered', id), this.paths.receipt('archived', id));
		});
	}

	private archiveMessage(id: MessageId): void {
		this.paths.make('archived');
		if (existsSync(this.paths.message('delivered', id))) {
			this.seals.archive(id);
			return this.returns.finish(this.paths.message('delivered', id), id, 'archived');
		}
		if (this.fileQueued(id, 'archived')) return;
		// The archiver may have been killed before the receipt followed.
		if (existsSync(this.paths.message('archived', id))) return;
		throw new NancyError('no-message', phrase`there is no message ${id} in ${this.folder}`);
	}

	/**
	 * Replaces a queued message's content. Fails if it is no longer queued: its earlier text has been read.
	 * @param author the author from now on; by default the earlier one
	 */
	async edit(id: MessageId, change: (content: MessageContent) => MessageContent, author?: Author): Promise<void> {
		this.paths.holding(() => this.editNow(id, change, author));
	}

	private editNow(...[id, change, author]: Parameters<Mailbox['edit']>): void {
		this.makeQueue();
		const claim = this.claims.one(id);
		if (!claim) throw notQueued(id);
		try {
			this.rewrite(claim, formatMessage(change(claim.content)), author ?? claim.author);
		} finally {
			claim.release();
		}
	}

	private rewrite({ id }: Claim, text: string, author: Author): void {
		this.seals.beginEdit(id, text, author);
		// Whoever took it back before this edit began knows only the earlier text.
		this.requireQueued(id);
		writeFileAtomicSync(this.paths.claim(id), text);
		this.seals.settle(id, text);
		this.requireQueued(id);
	}

	private requireQueued(id: MessageId): void {
		const standing = this.standing(id);
		if (standing && standing.state !== 'queued') throw notQueued(id);
	}

	/** Puts queued messages into this order; those not named come after them. Urgent ones still go first. */
	async reorder(ids: readonly MessageId[]): Promise<void> {
		this.paths.holding(() => {
			for (const [index, id] of ids.entries()) this.editNow(id, content => ({ ...content, order: index + 1 }));
		});
	}

	/** Marks a message of the human's inbox as read; returns its id from now on. */
	async markRead(id: MessageId): Promise<MessageId> {
		const read = this.paths.holding(() => this.fileQueued(id, 'read'));
		if (read === undefined) throw notQueued(id);
		return read;
	}

	/** Notes why a queued message still waits, or clears the note. */
	async setHeld(id: MessageId, reason: Held | undefined): Promise<void> {
		this.paths.holding(() => {
			if (reason === undefined) rmSync(this.paths.held(id), { force: true });
			else if (existsSync(this.paths.message('queued', id)))
				writeFileAtomicSync(this.paths.held(id), `${JSON.stringify(reason)}\n`);
		});
	}

	/** Notes that the agent's own record shows the whole text of a delivered message, and since when Nancy knows (UTC, ISO 8601). */
	noteInContext(id: MessageId, inContextAt: string): void {
		this.paths.holding(() => {
			const state = (['delivered', 'archived'] as const).find(each => existsSync(this.paths.message(each, id)));
			if (state === undefined) return;
			const receipt = this.seals.noteInContext(id, inContextAt);
			if (receipt) this.returns.writeReceipt(state, id, receipt);
		});
	}

	/** Returns the id it has there, or `undefined` when it is not queued any more. */
	private fileQueued(id: MessageId, as: 'read' | 'archived' | 'withdrawn'): MessageId | undefined {
		this.makeQueue();
		this.paths.make(stateOf(as));
		return this.claims.file(id, as);
	}
}

function queuedAlready(id: MessageId): NancyError {
	return new NancyError('bad-message', phrase`there is a message ${id} already`);
}

function notQueued(
	id: MessageId,
	why = phrase`is not queued any more: the agent has read it, or somebody has taken it`,
): NancyError {
	return new NancyError('not-queued', phrase`message ${id} ${why}`);
}
