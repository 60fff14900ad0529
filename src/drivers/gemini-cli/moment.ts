import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NO_FACTS, type TranscriptFacts } from '../../core/driver/transcript.ts';
import { transcript } from './transcript.ts';

// Facts that no event carries. Only the session's record shows them, and only while the hook runs.

/**
 * Whether a subagent is at work. Its tools report with the session, record and process of the agent that started it and waits. But the
 * subagent has a record of its own, in a folder named for the session. The newer record belongs to the one at work.
 */
export function isSubagentAtWork(record: string, session: string): boolean {
	const folder = join(dirname(record), session);
	try {
		const ownTime = statSync(record).mtimeMs;
		return readdirSync(folder).some(file => statSync(join(folder, file)).mtimeMs > ownTime);
	} catch {
		return false; // no subagent was ever sent
	}
}

/** How much of the record's end is read, in bytes: some lines are long, but those looked for are not. */
const TAIL = 64 * 1024;

/** Whether the user broke off the turn that ends. The CLI lets a hook deny that end, and then drops the hook's text. */
export function isBrokenOff(record: string): boolean {
	try {
		return tailOf(record).split('\n').reduce(foldLine, NO_FACTS).interruptedAt !== undefined;
	} catch {
		return false;
	}
}

function foldLine(known: TranscriptFacts, line: string): TranscriptFacts {
	try {
		return transcript.fold(known, JSON.parse(line));
	} catch {
		return known; // the first may be half a line, the last is empty
	}
}

function tailOf(file: string): string {
	const descriptor = openSync(file, 'r');
	try {
		const { size } = fstatSync(descriptor);
		const length = Math.min(size, TAIL);
		const buffer = Buffer.alloc(length);
		return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, length, size - length));
	} finally {
		closeSync(descriptor);
	}
}
