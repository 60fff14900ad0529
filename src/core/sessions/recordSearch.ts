import { lstat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { unescaped } from '../../base/unescaped.ts';
import type { MessageContent } from '../../protocol/message.ts';
import type { MessageId } from '../../protocol/names.ts';
import type { Receipt } from '../../protocol/records.ts';
import {
	NO_FACTS,
	type AgentWords,
	type Decider,
	type TranscriptFacts,
	type TranscriptFormat,
} from '../driver/transcript.ts';
import { handedOver } from '../mailbox/batch.ts';
import { messageMark } from '../mailbox/messageId.ts';
import { parseLine, readNewLines } from '../files/jsonLines.ts';

/** A message to look for in a record, and how it was handed over. */
export interface Shown {
	id: MessageId;
	content: MessageContent;
	receipt: Pick<Receipt, 'parts'>;
}

/**
 * A message's state in a record. `missing`: nothing of it is there, or not every part of a long one. `unproven`: it is there, but cut or
 * not answered yet; or the record began later.
 */
export type Presence = 'whole' | 'missing' | 'unproven';

/**
 * @param texts that hooks have handed over, as the record shows them
 * @param unanswered texts that the CLI may still take back
 */
export function presenceIn(
	texts: readonly string[],
	{ id, content, receipt }: Shown,
	unanswered: readonly string[] = [],
): Presence {
	const parts = handedOver(content, receipt);
	// Where a CLI escapes angle brackets, what the message itself has of that is read as brackets too.
	const holds = (all: readonly string[], words: string) =>
		all.some(text => text.includes(messageMark(id)) && (text.includes(words) || text.includes(unescaped(words))));
	if (parts.every(words => holds(texts, words))) return 'whole';
	const anywhere = [...texts, ...unanswered];
	// If the CLI has cut a text, at least the mark is there.
	const sought = parts.length > 1 ? parts : [''];
	return sought.every(words => holds(anywhere, words)) ? 'unproven' : 'missing';
}

/**
 * The state of each message in a record, read from its beginning.
 * @returns `undefined` if there is no record, which proves nothing
 */
export async function searchRecord(
	file: string,
	format: TranscriptFormat,
	messages: readonly (Shown & { receipt: Pick<Receipt, 'deliveredAt'> })[],
): Promise<ReadonlyMap<MessageId, Presence> | undefined> {
	if (!isAbsolute(file) || !(await lstat(file).catch(() => undefined))?.isFile()) return undefined;
	const texts: string[] = [];
	// A record may hold thousands of other messages.
	const isSought = (text: string) => messages.some(({ id }) => text.includes(messageMark(id)));
	let facts = NO_FACTS;
	const onLine = (line: string) => {
		facts = foldLine(format, { ...facts, deliveredTexts: [] }, line);
		texts.push(...facts.deliveredTexts.filter(isSought));
	};
	await readNewLines(file, undefined, { onLine, onRestart: () => undefined });
	const { beginsAt, unansweredTexts } = facts;
	return new Map(
		messages.map(message => {
			const presence = presenceIn(texts, message, unansweredTexts);
			const isEarlier = beginsAt !== undefined && message.receipt.deliveredAt < beginsAt;
			return [message.id, presence === 'missing' && isEarlier ? 'unproven' : presence];
		}),
	);
}

/** How much of a record's end is read, in bytes. Some records are long; what is wanted is among the last lines. */
const TAIL_BYTES = 128 * 1024;

/** The same for the result of a call, which may be long itself. */
const RESULTS_BYTES = 1024 * 1024;

/** When the user broke the last turn off, if the record ends with that. UTC, ISO 8601. A record that cannot be read says nothing. */
export async function brokenOffAt(file: string, format: TranscriptFormat): Promise<string | undefined> {
	let last = NO_FACTS;
	await foldTail(file, format, TAIL_BYTES, facts => (last = facts));
	return last.interruptedAt;
}

/** Who answered when the CLI asked about a call; `undefined` if the record does not say, or not yet. */
export async function deciderOf(call: string, file: string, format: TranscriptFormat): Promise<Decider | undefined> {
	let found: Decider | undefined;
	await foldTail(file, format, RESULTS_BYTES, ({ decided }) => {
		if (decided?.call === call) found = decided.by;
	});
	return found;
}

/** What the agent itself said since a time, oldest first, as far as the end of its record has it. @param since UTC, ISO 8601 */
export async function saidSince(since: string, file: string, { words }: TranscriptFormat): Promise<AgentWords[]> {
	if (words === 'none') return [];
	const said: AgentWords[] = [];
	await readTail(file, RESULTS_BYTES, line => {
		const found = words(parseLine(line));
		if (found && found.at >= since) said.push(found);
	});
	return said;
}

/** Calls with what is known after each of the last lines. */
async function foldTail(
	file: string,
	format: TranscriptFormat,
	tailBytes: number,
	onFacts: (facts: TranscriptFacts) => void,
): Promise<void> {
	let facts = NO_FACTS;
	await readTail(file, tailBytes, line => onFacts((facts = foldLine(format, facts, line))));
}

/** A record that cannot be read has no lines. */
async function readTail(file: string, tailBytes: number, onLine: (line: string) => void): Promise<void> {
	try {
		// The path comes from a hook's payload: it names a plain file, or nothing is read.
		if (!isAbsolute(file) || !(await lstat(file)).isFile()) return;
		await readNewLines(file, undefined, { onLine, onRestart: () => undefined }, { tailBytes });
	} catch {
		// It says nothing more.
	}
}

/** The knowledge after this line. */
export function foldLine(format: TranscriptFormat, known: TranscriptFacts, line: string): TranscriptFacts {
	const value = parseLine(line);
	if (value === undefined) return known;
	try {
		return format.fold(known, value);
	} catch {
		// A newer CLI may write lines that the driver does not know; they tell nothing.
		return known;
	}
}
