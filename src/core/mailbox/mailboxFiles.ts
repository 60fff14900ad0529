import { existsSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { mapConcurrently } from '../../base/concurrent.ts';
import { errorText, NancyError } from '../../base/errors.ts';
import { UNKNOWN_AUTHOR, type Author } from '../../protocol/author.ts';
import type { MessageContent } from '../../protocol/message.ts';
import type { MessageId } from '../../protocol/names.ts';
import { Receipt } from '../../protocol/records.ts';
import { named } from '../files/heldFolder.ts';
import { readPlainText } from '../files/plainFile.ts';
import { parseHeld, type ReadHeld } from './held.ts';
import { idOf, mayBeIn, nameProblem, type MailboxPaths, type MessageState } from './mailboxPaths.ts';
import { parseFile, readBesideSync, readMessageText, readMessageTextSync } from './messageText.ts';
import { readReceipt, type Filed, type Sealed } from './seal.ts';
import type { SealReader } from './sealReader.ts';

/** A message as it stands in a mailbox. */
export interface StoredMessage {
	id: MessageId;
	state: MessageState;
	file: string;
	content: MessageContent;
	/** The author, as its seal says, whatever its header says. */
	author: Author;
	receipt?: Receipt;
	/** Where to look whether a delivery was lost: the agent's own record of the session. Only of a delivery that is sealed. */
	transcript?: string;
	/** How often a queued message was handed over and lost. */
	lost?: number;
	/** Why a queued message still waits, if the reason is known. */
	held?: ReadHeld;
}

/** A file in a mailbox that is not a message. It is left in its place. */
export interface MailboxProblem {
	file: string;
	reason: string;
	/** It is a message, but Nancy has not put it there. */
	isMisplaced?: true;
}

export interface MailboxListing {
	/** Queued ones in delivery order, then the others, newest first. */
	messages: StoredMessage[];
	problems: MailboxProblem[];
}

/**
 * The content of one folder of filed messages, by file name, for repeated reading. A filed message changes no more. Its receipt changes
 * once, when the transcript shows the text.
 */
export type FiledMessages = Map<string, { message: StoredMessage; receiptStamp: string }>;

/** A file that somebody drops into an inbox is complete after this time without a change, in milliseconds. */
const SETTLING_MS = 2000;

export interface ListOptions {
	/** The filed messages of the last listing of one state; brought up to date. */
	known?: FiledMessages;
	/** The most filed messages of each state, newest names first. */
	newest?: number;
}

/** Takes the reason why something cannot be read. */
type Report = (reason: string) => void;

/** What the files of one mailbox say. Nothing here moves or changes a file. */
export class MailboxFiles {
	constructor(
		private readonly paths: MailboxPaths,
		private readonly seals: SealReader,
	) {}

	/** All messages in these states, with receipts. Unreadable files are listed as problems and left alone. */
	list(states: readonly MessageState[], options: ListOptions = {}): Promise<MailboxListing> {
		return this.paths.holdingDuring(() => this.read(states, options));
	}

	private async read(
		states: readonly MessageState[],
		{ known: ofBefore, newest = Infinity }: ListOptions,
	): Promise<MailboxListing> {
		const messages: StoredMessage[] = [];
		const problems: MailboxProblem[] = [];
		for (const state of states) {
			const names = this.paths.names(state);
			// Files of one name in two folders are two messages.
			const known: FiledMessages = ofBefore ?? new Map();
			const read =
				state === 'queued'
					? names.map(name => this.readQueued(name, problems))
					: await mapConcurrently(newestOf(names, newest), name =>
							this.readFiled(state, name, problems, known),
						);
			messages.push(...read.filter(message => message !== undefined));
			const present = new Set(names);
			for (const name of known.keys()) if (!present.has(name)) known.delete(name);
		}
		const present = this.stillThere(messages);
		const queued = present.filter(message => message.state === 'queued').sort(byDeliveryOrder);
		const others = present.filter(message => message.state !== 'queued').sort((a, b) => (a.id < b.id ? 1 : -1));
		return { messages: [...queued, ...others], problems };
	}

	/** A message that moved on while the folders were read was found in two of them. Its file is in the later one only. */
	private stillThere(messages: StoredMessage[]): StoredMessage[] {
		const counts = new Map<MessageId, number>();
		for (const { id } of messages) counts.set(id, (counts.get(id) ?? 0) + 1);
		return messages.filter(({ id, state, file }) => {
			return counts.get(id) === 1 || existsSync(this.paths.in(state, basename(file)));
		});
	}

	/**
	 * The receipt's file, which says when a message was delivered that an earlier version filed. It is below the workspace, so it proves
	 * nothing: not that the message is in context either.
	 */
	private async unprovenReceipt(
		state: MessageState,
		id: MessageId,
		problems: MailboxProblem[],
	): Promise<Receipt | undefined> {
		const file = this.paths.receipt(state, id);
		try {
			const text = await readPlainText(file);
			if (text === undefined) return undefined;
			const { inContextAt: _, ...receipt } = Receipt.parse(JSON.parse(text));
			return receipt;
		} catch (error) {
			const reason = error instanceof NancyError ? named(errorText(error)) : 'not a receipt';
			problems.push({ file: named(file), reason });
			return undefined;
		}
	}

	private async readFiled(
		state: MessageState,
		name: string,
		problems: MailboxProblem[],
		known: FiledMessages,
	): Promise<StoredMessage | undefined> {
		const earlier = known.get(name);
		if (earlier?.message.receipt?.inContextAt !== undefined) return earlier.message;
		const id = idOf(state, name);
		// A claimed one is still on its way, and may be edited under the same name.
		if (state === 'claimed' || id === undefined) return this.readMessage(state, name, problems);
		// Taken before the seal is read, so a later addition is seen next time.
		const receiptStamp = await stampOf(this.paths.receipt(state, id));
		// A receipt that cannot be read is reported each time.
		if (earlier?.receiptStamp === receiptStamp && (receiptStamp === '' || earlier.message.receipt))
			return earlier.message;
		const message = await this.readMessage(state, name, problems);
		if (message) known.set(name, { message, receiptStamp });
		return message;
	}

	private async readMessage(
		state: MessageState,
		name: string,
		problems: MailboxProblem[],
	): Promise<StoredMessage | undefined> {
		const file = this.paths.in(state, name);
		const report: Report = reason => void problems.push({ file: named(file), reason: named(reason) });
		const text = await readMessageText(file).catch((error: unknown) => {
			report(errorText(error));
			return undefined;
		});
		const written = this.parsed(state, name, text, problems);
		if (!written || text === undefined) return undefined;
		const { id } = written;
		const queued = state === 'claimed' ? this.sealedOf(id, text, report) : undefined;
		if (queued) return { ...written, author: queued.author };
		const filed = this.filedOf(id, text, report);
		const author = filed?.author ?? UNKNOWN_AUTHOR;
		if (state === 'claimed') return { ...written, author };
		if (filed ? filed.as !== undefined && !mayBeIn(state, filed.as) : this.isQueued(id)) {
			// It may have been queued again since its text was read.
			if (existsSync(file))
				problems.push({ file: named(file), reason: `not ${state} by Nancy`, isMisplaced: true });
			return undefined;
		}
		// Without any seal a receipt is anybody's word.
		if (!filed) return { ...written, author };
		if (filed.as === undefined) {
			const receipt = await this.unprovenReceipt(state, id, problems);
			return { ...written, author, ...(receipt && { receipt }) };
		}
		const receipt = readReceipt(filed.receipt);
		const { transcript } = filed;
		const canBeLost = filed.as === 'delivered' && transcript !== undefined;
		return { ...written, author, ...(receipt && { receipt }), ...(canBeLost && { transcript }) };
	}

	/** Synchronous for the same reason as {@link MessageClaims.one}. */
	private readQueued(name: string, problems: MailboxProblem[]): StoredMessage | undefined {
		try {
			const text = readMessageTextSync(this.paths.in('queued', name));
			const written = this.parsed('queued', name, text, problems);
			if (!written || text === undefined) return undefined;
			const report: Report = reason => void problems.push({ file: written.file, reason });
			const { author = UNKNOWN_AUTHOR, receipt } = this.sealedOf(written.id, text, report) ?? {};
			const lost = receipt === undefined ? undefined : readReceipt(receipt)?.lost?.length;
			const message = { ...written, author, ...(lost !== undefined && { lost }) };
			const held = existsSync(this.paths.held(message.id)) ? readBesideSync(this.paths.held(message.id)) : '';
			return held === '' ? message : { ...message, held: parseHeld(held) };
		} catch (error) {
			// One unreadable file must not hold up the others.
			problems.push({ file: this.paths.file('queued', name), reason: named(errorText(error)) });
			return undefined;
		}
	}

	/**
	 * {@link SealReader.ofQueued}. An unreadable seal proves nothing, and holds up no message.
	 * @param report gets the reason why it is unreadable
	 */
	sealedOf(id: MessageId, text: string, report?: Report): Sealed | undefined {
		return unlessBad(() => this.seals.ofQueued(id, text), report);
	}

	/** {@link SealReader.ofFiled}, as {@link sealedOf}. */
	filedOf(id: MessageId, text: string, report?: Report): Filed | undefined {
		return unlessBad(() => this.seals.ofFiled(id, text), report);
	}

	/** {@link SealReader.isQueued}, as {@link sealedOf}. */
	isQueued(id: MessageId): boolean {
		return unlessBad(() => this.seals.isQueued(id)) ?? false;
	}

	/** What the message's file says. */
	private parsed(
		state: MessageState,
		name: string,
		text: string | undefined,
		problems: MailboxProblem[],
	): Omit<StoredMessage, 'author'> | undefined {
		const id = idOf(state, name);
		// Somebody is still writing an empty file in the inbox.
		if (text === undefined || (text === '' && state === 'queued')) return undefined;
		const file = this.paths.file(state, name);
		if (id === undefined) {
			if (!name.startsWith('.')) problems.push({ file, reason: nameProblem(state, name) });
			return undefined;
		}
		const parsed = parseFile(this.paths.in(state, name), text);
		if (parsed.ok) return { id, state, file, content: parsed.content };
		problems.push({ file, reason: parsed.reason });
		return undefined;
	}
}

function unlessBad<T>(read: () => T, report: Report = () => undefined): T | undefined {
	try {
		return read();
	} catch (error) {
		report(errorText(error));
		return undefined;
	}
}

/** Names begin with the time of the message. */
function newestOf(names: string[], count: number): string[] {
	return names.length <= count ? names : names.sort().slice(-count);
}

/**
 * Whether a queued file is complete. Nancy's own always are. An editor or a shell may still be writing a file without a seal, so it
 * counts once it is unchanged for a moment. A time far in the future says nothing about that.
 */
export function isSettled({ file, author }: Pick<StoredMessage, 'file' | 'author'>): boolean {
	if (author.is !== 'unknown') return true;
	const written = statSync(file, { throwIfNoEntry: false });
	return Math.abs(Date.now() - (written?.mtimeMs ?? 0)) >= SETTLING_MS;
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

/** Empty where there is no such file. */
async function stampOf(file: string): Promise<string> {
	const found = await stat(file, { bigint: true }).catch(() => undefined);
	return found ? `${found.ino}:${found.mtimeNs}:${found.size}` : '';
}
