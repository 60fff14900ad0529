import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { mapConcurrently } from '../../base/concurrent.ts';
import { errorText, hasErrno } from '../../base/errors.ts';
import { PROCESS_WORD } from '../../base/liveness.ts';
import { UNKNOWN_AUTHOR, type Author } from '../../protocol/author.ts';
import { parseMessage, type MessageContent, type ParsedMessage } from '../../protocol/message.ts';
import { LONGEST_MESSAGE_NAME, MessageId } from '../../protocol/names.ts';
import { Receipt } from '../../protocol/records.ts';
import { refuseLinks } from '../files/links.ts';
import { messageFile } from '../files/paths.ts';
import { readPlainText, readPlainTextSync } from '../files/plainFile.ts';
import type { Seals } from './seals.ts';

export type MessageState = 'queued' | 'claimed' | 'delivered' | 'archived' | 'withdrawn';

/** A message as it stands in a mailbox. */
export interface StoredMessage {
	id: MessageId;
	state: MessageState;
	file: string;
	content: MessageContent;
	/** The author, as its seal says, whatever its header says. */
	author: Author;
	receipt?: Receipt;
	/** Why a queued message still waits, if the reason is known. */
	held?: string;
}

/** A file in a mailbox that is not a message. It is left in its place. */
export interface MailboxProblem {
	file: string;
	reason: string;
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

/** The name of each state's folder in a mailbox. */
export const folderByState: Readonly<Record<MessageState, string>> = {
	queued: 'inbox',
	claimed: 'claimed',
	delivered: 'delivered',
	archived: 'archive',
	withdrawn: 'withdrawn',
};

export const MESSAGE_STATES = [
	'queued',
	'claimed',
	'delivered',
	'archived',
	'withdrawn',
] as const satisfies readonly MessageState[];

/** `<process>-<id>.md`: names the claimer, so that a dead claimer's message can go back. */
export const CLAIM_FILE = new RegExp(`^${PROCESS_WORD}-(?<id>.+)\\.md$`);

/** A file that somebody drops into an inbox is complete after this time without a change, in milliseconds. */
const SETTLING_MS = 2000;

export interface ListOptions {
	/** Of the last listing of one state; brought up to date. */
	known?: FiledMessages;
	/** The most filed messages of each state, newest names first. */
	newest?: number;
}

const PARTS = '.parts';

/**
 * In bytes. Every reader of the mailbox would hold a longer one in memory. Nancy sends no text of more than a megabyte; a longer text
 * belongs into a file that the message names.
 */
const LONGEST_MESSAGE = 4 * 1024 * 1024;

/** The files of one mailbox and their content. Nothing here moves or changes a file. */
export class MailboxFiles {
	/** @param root the `.nancy` folder; no link below it is followed */
	constructor(
		private readonly root: string,
		readonly folder: string,
		private readonly seals: Seals,
	) {}

	/** @param name one path segment. Called a dozen times for each message; `join` would parse the path every time */
	in(state: MessageState, name?: string): string {
		const folder = `${this.folder}${sep}${folderByState[state]}`;
		return name === undefined ? folder : `${folder}${sep}${name}`;
	}

	/** A link could point a hook at somebody else's files. */
	refuseLinks(): void {
		let folder = this.root;
		const above = relative(this.root, this.folder)
			.split(sep)
			.map(segment => (folder = join(folder, segment)));
		const states = MESSAGE_STATES.map(state => this.in(state));
		refuseLinks([this.root, ...above, ...states]);
	}

	/** All messages in these states, with receipts. Unreadable files are listed as problems and left alone. */
	async list(
		states: readonly MessageState[],
		{ known = new Map(), newest = Infinity }: ListOptions = {},
	): Promise<MailboxListing> {
		this.refuseLinks();
		const messages: StoredMessage[] = [];
		const problems: MailboxProblem[] = [];
		for (const state of states) {
			const names = this.names(state);
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
		const queued = messages.filter(message => message.state === 'queued').sort(byDeliveryOrder);
		const others = messages.filter(message => message.state !== 'queued').sort((a, b) => (a.id < b.id ? 1 : -1));
		return { messages: [...queued, ...others], problems };
	}

	idOf(state: MessageState, name: string): MessageId | undefined {
		const stem = state === 'claimed' ? CLAIM_FILE.exec(name)?.groups?.['id'] : name.slice(0, -'.md'.length);
		const id = MessageId.safeParse(stem);
		return id.success ? id.data : undefined;
	}

	names(state: MessageState): string[] {
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
		const text = await readPlainText(file).catch((error: unknown) => {
			problems.push({ file, reason: errorText(error) });
			return undefined;
		});
		if (text === undefined) return undefined;
		const receipt = parseReceipt(text);
		if (receipt) return receipt;
		problems.push({ file, reason: 'not a receipt' });
		return undefined;
	}

	/**
	 * Whether a queued file is complete. Nancy's own always are. An editor or a shell may still be writing a file without a seal, so it
	 * counts once it is unchanged for a moment. A time far in the future says nothing about that.
	 */
	isSettled({ file, author }: Pick<StoredMessage, 'file' | 'author'>): boolean {
		if (author.is !== 'unknown') return true;
		const written = statSync(file, { throwIfNoEntry: false });
		return Math.abs(Date.now() - (written?.mtimeMs ?? 0)) >= SETTLING_MS;
	}

	heldFile(id: MessageId): string {
		return this.in('queued', `${id}.held`);
	}

	returnsFile(id: MessageId): string {
		return this.in('claimed', `${id}.returns`);
	}

	/** Nancy's file beside a message. Counts as empty if it is gone or no plain file: it must not hold the message up. */
	ownText(file: string): string {
		try {
			return readIfThereSync(file) ?? '';
		} catch {
			return '';
		}
	}

	partsFile(id: MessageId): string {
		return this.in('claimed', `${id}${PARTS}`);
	}

	partsFiles(): string[] {
		const names = ifThere(() => readdirSync(this.in('claimed'))) ?? [];
		return names.filter(name => name.endsWith(PARTS)).map(name => this.in('claimed', name));
	}

	receiptFile(state: MessageState, id: MessageId): string {
		return this.in(state, `${id}.receipt.json`);
	}

	private async readFiled(
		state: MessageState,
		name: string,
		problems: MailboxProblem[],
		known: FiledMessages,
	): Promise<StoredMessage | undefined> {
		const earlier = known.get(name);
		if (earlier?.message.receipt?.inContextAt !== undefined) return earlier.message;
		let message = earlier?.message ?? (await this.readMessage(state, name, problems));
		// A claimed one is still on its way, and may be edited under the same name.
		if (!message || state === 'claimed') return message;
		// Taken before the receipt is read, so a later addition is seen next time.
		const receiptStamp = await stampOf(this.receiptFile(state, message.id));
		// One that cannot be read is reported each time.
		const isSame = earlier?.receiptStamp === receiptStamp && (receiptStamp === '' || message.receipt);
		if (!isSame) {
			const { receipt: _earlier, ...bare } = message;
			const receipt = receiptStamp === '' ? undefined : await this.receipt(state, message.id, problems);
			message = receipt ? { ...bare, receipt } : bare;
		}
		known.set(name, { message, receiptStamp });
		return message;
	}

	private async readMessage(
		state: MessageState,
		name: string,
		problems: MailboxProblem[],
	): Promise<StoredMessage | undefined> {
		const text = await readPlainText(this.in(state, name), LONGEST_MESSAGE).catch((error: unknown) => {
			problems.push({ file: this.in(state, name), reason: errorText(error) });
			return undefined;
		});
		return this.stored(state, name, text, problems);
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
			// One unreadable file must not hold up the others.
			problems.push({ file: this.in('queued', name), reason: errorText(error) });
			return undefined;
		}
	}

	/** @param text of the message's file */
	authorOf(state: MessageState, id: MessageId, text: string, problems: MailboxProblem[] = []): Author {
		try {
			return state === 'queued' || state === 'claimed'
				? this.seals.authorOfQueued(id, text)
				: this.seals.authorOfFiled(id, text);
		} catch (error) {
			// An unreadable seal proves nothing, and holds up no message.
			problems.push({ file: this.in(state, messageFile(id)), reason: errorText(error) });
			return UNKNOWN_AUTHOR;
		}
	}

	private stored(
		state: MessageState,
		name: string,
		text: string | undefined,
		problems: MailboxProblem[],
	): StoredMessage | undefined {
		const id = this.idOf(state, name);
		// Somebody is still writing an empty file in the inbox.
		if (text === undefined || (text === '' && state === 'queued')) return undefined;
		const file = this.in(state, name);
		if (id === undefined) {
			if (!name.startsWith('.')) problems.push({ file, reason: nameProblem(state, name) });
			return undefined;
		}
		const parsed = parseFile(file, text);
		if (parsed.ok)
			return { id, state, file, content: parsed.content, author: this.authorOf(state, id, text, problems) };
		problems.push({ file, reason: parsed.reason });
		return undefined;
	}
}

/** Names begin with the time of the message. */
function newestOf(names: string[], count: number): string[] {
	return names.length <= count ? names : names.sort().slice(-count);
}

/** Why {@link MailboxFiles.idOf} rejects it. */
function nameProblem(state: MessageState, name: string): string {
	if (state === 'claimed' && !CLAIM_FILE.test(name))
		return `its name is not that of a claim; if it is a message, move it to ${folderByState.queued}`;
	return Buffer.byteLength(name) - '.md'.length > LONGEST_MESSAGE_NAME
		? 'its name is too long; rename it'
		: 'its name has a character that no message may have; rename it';
}

/**
 * Editors of some systems save other encodings. Such a message would be handed over as gibberish with a receipt. Only if decoding has put
 * U+FFFD are the bytes worth a second look, because Node reads text faster than bytes.
 */
export function parseFile(file: string, text: string): ParsedMessage {
	const bytes = text.includes('\uFFFD') ? ifThere(() => readFileSync(file)) : undefined;
	return bytes && !isUtf8(bytes) ? { ok: false, reason: 'it is not UTF-8; save it as UTF-8' } : parseMessage(text);
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

/** @throws NancyError `bad-file` for what is longer than a message may be */
export function readIfThereSync(file: string): string | undefined {
	return readPlainTextSync(file, LONGEST_MESSAGE);
}

function ifThere<T>(read: () => T): T | undefined {
	try {
		return read();
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw error;
	}
}

/** Undefined for what is no receipt. */
export function parseReceipt(text: string): Receipt | undefined {
	try {
		return Receipt.parse(JSON.parse(text));
	} catch {
		return undefined;
	}
}
