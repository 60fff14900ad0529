import { isUtf8 } from 'node:buffer';
import { parseMessage, type ParsedMessage } from '../../protocol/message.ts';
import { readPlainFileSync, readPlainText, readPlainTextSync } from '../files/plainFile.ts';

/**
 * In bytes. Every reader of the mailbox would hold a longer one in memory. Nancy sends no text of more than a megabyte; a longer text
 * belongs into a file that the message names.
 */
const LONGEST_MESSAGE = 4 * 1024 * 1024;

/** @throws NancyError `bad-file` for what is longer than a message may be, or no plain file */
export function readMessageText(file: string): Promise<string | undefined> {
	return readPlainText(file, LONGEST_MESSAGE);
}

/** {@link readMessageText} at once, for a hook that its agent waits for: see {@link MessageClaims.one}. */
export function readMessageTextSync(file: string): string | undefined {
	return readPlainTextSync(file, LONGEST_MESSAGE);
}

/** Nancy's file beside a message. Counts as empty if it is gone or no plain file: it must not hold the message up. */
export function readBesideSync(file: string): string {
	try {
		return readMessageTextSync(file) ?? '';
	} catch {
		return '';
	}
}

/**
 * Editors of some systems save other encodings. Such a message would be handed over as gibberish with a receipt. Only if decoding has put
 * U+FFFD are the bytes worth a second look, because Node reads text faster than bytes.
 */
export function parseFile(file: string, text: string): ParsedMessage {
	const bytes = text.includes('\uFFFD') ? readPlainFileSync(file, LONGEST_MESSAGE) : undefined;
	return bytes && !isUtf8(bytes) ? { ok: false, reason: 'it is not UTF-8; save it as UTF-8' } : parseMessage(text);
}
