import { lstat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { MessageContent } from '../../protocol/message.ts';
import type { MessageId } from '../../protocol/names.ts';
import { NO_FACTS, type TranscriptFormat } from '../driver/driver.ts';
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
 * How much of each message is anywhere in a record, read from its beginning; only lines with a message in them are parsed.
 * @returns `undefined` where there is no record: that says nothing
 */
export async function searchRecord(
	file: string,
	format: TranscriptFormat,
	messages: readonly Shown[],
): Promise<ReadonlyMap<MessageId, Presence> | undefined> {
	if (!isAbsolute(file) || !(await lstat(file).catch(() => undefined))?.isFile()) return undefined;
	const found = new Map<MessageId, Presence>(messages.map(({ id }) => [id, 'none']));
	const see = (line: string) => {
		const sought = messages.filter(({ id }) => found.get(id) !== 'whole' && line.includes(messageMark(id)));
		if (sought.length === 0) return;
		const { deliveredTexts } = format.fold(NO_FACTS, parseLine(line));
		for (const message of sought) {
			const presence = presenceIn(deliveredTexts, message);
			if (presence !== 'none') found.set(message.id, presence);
		}
	};
	await readNewLines(file, undefined, { onLine: see, onRestart: () => undefined });
	return found;
}
