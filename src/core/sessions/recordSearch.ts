import { lstat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { MessageContent } from '../../protocol/message.ts';
import type { MessageId } from '../../protocol/names.ts';
import { NO_FACTS, type TranscriptFacts, type TranscriptFormat } from '../driver/driver.ts';
import { wordsOf } from '../mailbox/batch.ts';
import { messageMark } from '../mailbox/messageId.ts';
import { parseLine, readNewLines } from '../traffic/jsonLines.ts';

/** What is looked for in a record. */
export type Shown = { id: MessageId; content: MessageContent };

/** How much of a message is in these texts. */
export type Presence = 'whole' | 'part' | 'none';

export function presenceIn(texts: readonly string[], { id, content }: Shown): Presence {
	const holding = texts.filter(text => text.includes(messageMark(id)));
	if (holding.length === 0) return 'none';
	return holding.some(text => text.includes(wordsOf(content))) ? 'whole' : 'part';
}

/**
 * How much of each message is anywhere in a record, read from its beginning. What the model has not answered yet is no more than a part.
 * @returns `undefined` where there is no record: that says nothing
 */
export async function searchRecord(
	file: string,
	format: TranscriptFormat,
	messages: readonly Shown[],
): Promise<ReadonlyMap<MessageId, Presence> | undefined> {
	if (!isAbsolute(file) || !(await lstat(file).catch(() => undefined))?.isFile()) return undefined;
	const found = new Map<MessageId, Presence>(messages.map(({ id }) => [id, 'none']));
	const see = (texts: readonly string[], most: Presence) => {
		if (texts.length === 0) return;
		for (const message of messages) {
			const presence = found.get(message.id) === 'whole' ? 'none' : presenceIn(texts, message);
			if (presence !== 'none') found.set(message.id, presence === 'whole' ? most : presence);
		}
	};
	let facts = NO_FACTS;
	const onLine = (line: string) => {
		// What was seen already is not kept: a record may hold thousands.
		facts = foldLine(format, { ...facts, deliveredTexts: [] }, line);
		see(facts.deliveredTexts, 'whole');
	};
	await readNewLines(file, undefined, { onLine, onRestart: () => undefined });
	see(facts.unansweredTexts, 'part');
	return found;
}

/** What is known after this line. */
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
