import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import {
	createFileAtomic,
	moveIfThere,
	moveIfThereSync,
	readTextIfExists,
	writeFileAtomic,
	writeFileAtomicSync,
} from '../base/atomicFile.ts';
import { mapConcurrently } from '../base/concurrent.ts';
import { errorText, hasErrno, NancyError } from '../base/errors.ts';
import { identify, liveness } from '../base/liveness.ts';
import { formatMessage, parseMessage, type MessageContent } from '../protocol/message.ts';
import { MessageId } from '../protocol/names.ts';
import { Receipt } from '../protocol/records.ts';
import { newMessageId } from './messageId.ts';
import { messageFile } from './paths.ts';

export type MessageState = 'queued' | 'claimed' | 'delivered' | 'archived' | 'withdrawn';

/** A message as it stands in a mailbox. */
export interface StoredMessage {
	id: MessageId;
	state: MessageState;
	file: string;
	content: MessageContent;
	receipt?: Receipt;
	/** Why a queued message is still queued, when something is known to be in its way. */
	held?: string;
}

/** A file in a mailbox that is not a message; it is left where it is. */
export interface MailboxProblem {
	file: string;
	reason: string;
}

export interface MailboxListing {
	/** Queued ones in delivery order, then the others, newest first. */
	messages: StoredMessage[];
	problems: MailboxProblem[];
}

/** The name of each state's folder in a mailbox. */
export const folderByState: Readonly<Record<MessageState, string>> = {
	queued: 'inbox',
	claimed: 'claimed',
	delivered: 'delivered',
	archived: 'archive',
	withdrawn: 'withdrawn',
};

/** `<pid>-<start ticks>-<id>.md`: whose claim it is, so that a dead claimer's message can go back. */
const CLAIM_FILE = /^(\d+)-(\d+)-(.+)\.md$/;

/** A message that this process has taken out of the inbox and nobody else can take. */
export interface Claim {
	id: MessageId;
	content: MessageContent;
	/** Where the file stands once it is delivered: what a long message's reader is pointed to. */
	deliveredFile: string;
	earlierClaims: number;
	/** The agent has it: writes the receipt, then files the message. */
	deliver(receipt: Omit<Receipt, 'version' | 'id' | 'earlierClaims'>): void;
	/** The agent does not have it: back to the inbox. */
	release(): void;
}

/**
 * One worker's messages: a folder for each state, one file for each message, moved by rename. Any number of processes may
 * use the same mailbox at once; nothing here is cached.
 */
export class Mailbox {
	/** @param root the `.nancy` folder; no link below it is followed */
	constructor(
		private readonly root: string,
		readonly folder: string,
	) {}

	private in(state: MessageState, name = ''): string {
		return join(this.folder, folderByState[state], name);
	}

	/** Where a message stands once it is delivered. */
	deliveredFile(id: string): string {
		return this.in('delivered', `${id}.md`);
	}

	/** Queues a message and returns its id. */
	async put(content: MessageContent, id: MessageId = newMessageId()): Promise<MessageId> {
		await this.makeFolders();
		if (!(await createFileAtomic(this.in('queued', messageFile(id)), formatMessage(content)))) {
			throw new NancyError('bad-message', `a message ${id} is queued already`);
		}
		return id;
	}

	/** Makes the folders, so that a person can drop a file by hand and a guard can look for one. */
	async makeFolders(): Promise<void> {
		this.refuseLinks();
		for (const state of ['queued', 'claimed', 'delivered'] as const) {
			if (!existsSync(this.in(state))) await mkdir(this.in(state), { recursive: true, mode: 0o700 });
		}
	}

	/** Everything in the mailbox, with receipts. What cannot be read is listed as a problem and left alone. */
	async list(
		states: readonly MessageState[] = ['queued', 'claimed', 'delivered', 'archived', 'withdrawn'],
	): Promise<MailboxListing> {
		this.refuseLinks();
		const messages: StoredMessage[] = [];
		const problems: MailboxProblem[] = [];
		for (const state of states) {
			const names = this.names(state);
			const read =
				state === 'queued'
					? names.map(name => this.readQueued(name, problems))
					: await mapConcurrently(names, name => this.readFiled(state, name, problems));
			messages.push(...read.filter(message => message !== undefined));
		}
		const queued = messages.filter(message => message.state === 'queued').sort(byDeliveryOrder);
		const others = messages.filter(message => message.state !== 'queued').sort((a, b) => (a.id < b.id ? 1 : -1));
		return { messages: [...queued, ...others], problems };
	}

	/**
	 * Takes queued messages, in delivery order, as long as `take` says so. Exactly one claimer gets each message. Claims of
	 * dead processes are returned to the inbox first.
	 */
	async claim(take: (message: MessageContent, id: MessageId) => 'take' | 'leave' | 'stop'): Promise<Claim[]> {
		await this.recover();
		const { messages } = await this.list(['queued']);
		const chosen: MessageId[] = [];
		for (const message of messages) {
			const verdict = take(message.content, message.id);
			if (verdict === 'stop') break;
			if (verdict === 'take') chosen.push(message.id);
		}
		if (chosen.length === 0) return [];
		await this.makeFolders();
		const claims: Claim[] = [];
		try {
			const claimed = this.claimedIds();
			for (const id of chosen) {
				const claim = this.claimOne(id, claimed);
				if (claim) claims.push(claim);
			}
			return claims;
		} catch (error) {
			// A full disk, a folder that lost its rights: what was claimed is for the next hook.
			for (const claim of claims) claim.release();
			throw error;
		}
	}

	/** Gives the claims of dead processes back to the inbox, or finishes them where the receipt was written already. */
	async recover(): Promise<MessageId[]> {
		this.refuseLinks();
		const returned: MessageId[] = [];
		for (const name of this.names('claimed')) {
			const match = CLAIM_FILE.exec(name);
			const id = this.idOf('claimed', name);
			if (!match || id === undefined) continue;
			const owner = { pid: Number(match[1]), startedTicks: Number(match[2]) };
			// In doubt the claim stands: a message late is better than a message twice.
			if (liveness(owner) !== 'dead') continue;
			if (await exists(this.receiptFile('delivered', id))) {
				await moveIfThere(this.in('claimed', name), this.in('delivered', messageFile(id)));
				continue;
			}
			writeFileAtomicSync(this.returnsFile(id), String(this.returns(id) + 1));
			if (this.giveBack(this.in('claimed', name), id)) returned.push(id);
		}
		return returned;
	}

	/** Takes a queued message back. */
	async withdraw(id: MessageId): Promise<void> {
		if (!(await this.moveQueued(id, 'withdrawn'))) throw notQueued(id);
	}

	/** Files a message away: a delivered one that was acted on, or one that the human has read. */
	async archive(id: MessageId): Promise<void> {
		this.refuseLinks();
		await mkdir(this.in('archived'), { recursive: true, mode: 0o700 });
		if (await exists(this.in('delivered', messageFile(id)))) {
			// No other message of this name can be there: see claimOne.
			await moveIfThere(this.in('delivered', messageFile(id)), this.in('archived', messageFile(id)));
			await moveIfThere(this.receiptFile('delivered', id), this.receiptFile('archived', id));
			return;
		}
		if (await this.moveQueued(id, 'archived')) return;
		if (await exists(this.in('archived', messageFile(id)))) return;
		throw new NancyError('no-message', `there is no message ${id} in ${this.folder}`);
	}

	/** Replaces a queued message's content. Fails when it is no longer queued: then it has been read as it was. */
	async edit(id: MessageId, change: (content: MessageContent) => MessageContent): Promise<void> {
		await this.makeFolders();
		const claim = this.claimOne(id);
		if (!claim) throw notQueued(id);
		try {
			await writeFileAtomic(this.claimFile(claim.id), formatMessage(change(claim.content)));
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

	/** Notes why a queued message has not been delivered, or clears the note. */
	async setHeld(id: MessageId, reason: string | undefined): Promise<void> {
		if (reason === undefined) await rm(this.heldFile(id), { force: true });
		else if (await exists(this.in('queued', messageFile(id))))
			await writeFileAtomic(this.heldFile(id), `${reason}\n`);
	}

	/** Adds what became known later (the transcript shows the text) to a delivered message's receipt. */
	async updateReceipt(id: MessageId, change: (receipt: Receipt) => Receipt): Promise<void> {
		for (const state of ['delivered', 'archived'] as const) {
			const file = this.receiptFile(state, id);
			const text = await readTextIfExists(file);
			if (text === undefined) continue;
			await writeFileAtomic(file, `${JSON.stringify(change(Receipt.parse(JSON.parse(text))), null, '\t')}\n`);
			return;
		}
	}

	private async readFiled(
		state: MessageState,
		name: string,
		problems: MailboxProblem[],
	): Promise<StoredMessage | undefined> {
		const text = await readTextIfExists(this.in(state, name)).catch((error: unknown) => {
			problems.push({ file: this.in(state, name), reason: errorText(error) });
			return undefined;
		});
		const message = this.stored(state, name, text, problems);
		const receipt = message && state !== 'claimed' ? await this.receipt(state, message.id, problems) : undefined;
		return receipt && message ? { ...message, receipt } : message;
	}

	/** Synchronous for the same reason as {@link claimOne}. */
	private readQueued(name: string, problems: MailboxProblem[]): StoredMessage | undefined {
		try {
			const message = this.stored('queued', name, readIfThereSync(this.in('queued', name)), problems);
			const held =
				message && existsSync(this.heldFile(message.id))
					? readIfThereSync(this.heldFile(message.id))
					: undefined;
			return held !== undefined && message ? { ...message, held: held.trim() } : message;
		} catch (error) {
			// One file that may not be read must not hold up the others.
			problems.push({ file: this.in('queued', name), reason: errorText(error) });
			return undefined;
		}
	}

	private stored(
		state: MessageState,
		name: string,
		text: string | undefined,
		problems: MailboxProblem[],
	): StoredMessage | undefined {
		const id = this.idOf(state, name);
		// An empty file in the inbox is one that somebody is still writing.
		if (text === undefined || (text === '' && state === 'queued')) return undefined;
		const file = this.in(state, name);
		if (id === undefined) {
			if (!name.startsWith('.')) problems.push({ file, reason: 'its name is too long; rename it' });
			return undefined;
		}
		const parsed = parseMessage(text);
		if (parsed.ok) return { id, state, file, content: parsed.content };
		problems.push({ file, reason: parsed.reason });
		return undefined;
	}

	/** Returns the id it has there, or `undefined` when it is not queued any more. */
	private async moveQueued(id: MessageId, to: MessageState): Promise<MessageId | undefined> {
		this.refuseLinks();
		await mkdir(this.in(to), { recursive: true, mode: 0o700 });
		const filedAs = this.freeId(id);
		if (!(await moveIfThere(this.in('queued', messageFile(id)), this.in(to, messageFile(filedAs)))))
			return undefined;
		await rm(this.heldFile(id), { force: true });
		return filedAs;
	}

	/** A file saved again under the name of a message that was filed is a new message, never an overwrite of the old one. */
	private freeId(id: MessageId, claimedIds: ReadonlySet<MessageId> = this.claimedIds()): MessageId {
		const filed = ['delivered', 'archived', 'withdrawn'] as const;
		const isTaken = claimedIds.has(id) || filed.some(state => existsSync(this.in(state, messageFile(id))));
		return isTaken ? newMessageId() : id;
	}

	private claimedIds(): ReadonlySet<MessageId> {
		const ids = this.names('claimed').map(name => this.idOf('claimed', name));
		return new Set(ids.filter(id => id !== undefined));
	}

	/**
	 * Synchronous, as is {@link Claim.deliver}: the hook program claims and files up to fifty messages while its agent waits,
	 * and a dozen hops through the thread pool for each of them would be most of that time.
	 */
	private claimOne(queuedAs: MessageId, claimedIds: ReadonlySet<MessageId> = this.claimedIds()): Claim | undefined {
		// Decided before the claim and part of its name: a receipt of this id can only be this message's.
		const id = this.freeId(queuedAs, claimedIds);
		const claimed = this.claimFile(id);
		if (!moveIfThereSync(this.in('queued', messageFile(queuedAs)), claimed)) return undefined;
		const parsed = parseMessage(readFileSync(claimed, 'utf8'));
		if (!parsed.ok) {
			this.giveBack(claimed, id);
			return undefined;
		}
		const deliveredFile = this.deliveredFile(id);
		const earlierClaims = this.returns(id);
		return {
			id,
			content: parsed.content,
			deliveredFile,
			earlierClaims,
			deliver: facts => {
				const receipt = Receipt.parse({ ...facts, version: 1, id, earlierClaims });
				writeFileAtomicSync(this.receiptFile('delivered', id), `${JSON.stringify(receipt, null, '\t')}\n`);
				renameSync(claimed, deliveredFile);
				rmSync(this.heldFile(queuedAs), { force: true });
				if (earlierClaims > 0) rmSync(this.returnsFile(id), { force: true });
			},
			release: () => {
				this.giveBack(claimed, id);
			},
		};
	}

	/** Back to the inbox, under a new id where that name has been taken meanwhile: nothing is overwritten. */
	private giveBack(claimed: string, id: MessageId): boolean {
		const target = existsSync(this.in('queued', messageFile(id))) ? newMessageId() : id;
		return moveIfThereSync(claimed, this.in('queued', messageFile(target)));
	}

	/** How often a claim of this message was given back because its process had died. */
	private returns(id: MessageId): number {
		return existsSync(this.returnsFile(id)) ? Number(readFileSync(this.returnsFile(id), 'utf8')) || 0 : 0;
	}

	private claimFile(id: MessageId): string {
		const me = identify(process.pid);
		return this.in('claimed', `${me.pid}-${me.startedTicks}-${messageFile(id)}`);
	}

	private heldFile(id: MessageId): string {
		return this.in('queued', `${id}.held`);
	}

	private returnsFile(id: MessageId): string {
		return this.in('claimed', `${id}.returns`);
	}

	private receiptFile(state: MessageState, id: MessageId): string {
		return this.in(state, `${id}.receipt.json`);
	}

	private idOf(state: MessageState, name: string): MessageId | undefined {
		const stem = state === 'claimed' ? CLAIM_FILE.exec(name)?.[3] : name.slice(0, -'.md'.length);
		const id = MessageId.safeParse(stem);
		return id.success ? id.data : undefined;
	}

	private names(state: MessageState): string[] {
		try {
			const entries = readdirSync(this.in(state), { withFileTypes: true });
			return entries.filter(entry => entry.isFile() && entry.name.endsWith('.md')).map(entry => entry.name);
		} catch (error) {
			if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
			throw error;
		}
	}

	private async receipt(
		state: MessageState,
		id: MessageId,
		problems: MailboxProblem[],
	): Promise<Receipt | undefined> {
		const file = this.receiptFile(state, id);
		const text = await readTextIfExists(file);
		if (text === undefined) return undefined;
		const parsed = Receipt.safeParse(tryJson(text));
		if (parsed.success) return parsed.data;
		problems.push({ file, reason: 'not a receipt' });
		return undefined;
	}

	/** A link below `.nancy` could point a hook at somebody else's files. */
	private refuseLinks(): void {
		const segments = relative(this.root, this.folder).split(sep);
		let folder = this.root;
		const folders = ['', ...segments].map(segment => (folder = join(folder, segment)));
		const states = Object.values(folderByState).map(name => join(this.folder, name));
		const link = [...folders, ...states].find(isLink);
		if (link !== undefined) {
			throw new NancyError('bad-file', `${link} is a symbolic link; replace it by a folder`);
		}
	}
}

/** Urgent first, then the order set by hand, then by age. */
export function byDeliveryOrder(
	a: { id: string; content: MessageContent },
	b: { id: string; content: MessageContent },
): number {
	const urgency = Number(b.content.priority === 'urgent') - Number(a.content.priority === 'urgent');
	if (urgency !== 0) return urgency;
	const place = (a.content.order ?? Infinity) - (b.content.order ?? Infinity);
	if (place !== 0 && !Number.isNaN(place)) return place;
	return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function notQueued(id: MessageId): NancyError {
	return new NancyError(
		'not-queued',
		`message ${id} is not queued any more: the agent has read it, or it was taken back`,
	);
}

function isLink(file: string): boolean {
	try {
		return lstatSync(file).isSymbolicLink();
	} catch {
		return false; // not there
	}
}

async function exists(file: string): Promise<boolean> {
	return stat(file).then(
		() => true,
		() => false,
	);
}

function readIfThereSync(file: string): string | undefined {
	try {
		return readFileSync(file, 'utf8');
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw error;
	}
}

function tryJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
