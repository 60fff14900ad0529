import { unescaped } from '../base/unescaped.ts';
import type { TranscriptFacts } from '../core/driver/transcript.ts';
import { holdsMessage } from './messages.ts';

/** How much is kept for matching: several deliveries may be due at a time, but not a whole day's. */
const MOST_TEXTS = 200;

/** Only texts with a message of Nancy's. The rest of the conversation is long and useless here. */
export function addTexts(known: TranscriptFacts, texts: readonly string[]): TranscriptFacts {
	const delivered = texts.filter(holdsMessage);
	if (delivered.length === 0) return known;
	return { ...known, deliveredTexts: [...known.deliveredTexts, ...delivered].slice(-MOST_TEXTS) };
}

/** The same for a CLI that may take texts back: they count once the model has answered. */
export function addUnanswered(known: TranscriptFacts, texts: readonly string[]): TranscriptFacts {
	const unanswered = texts.filter(holdsMessage);
	if (unanswered.length === 0) return known;
	return { ...known, unansweredTexts: [...known.unansweredTexts, ...unanswered] };
}

/** The model has answered: earlier texts stay. */
export function answered(known: TranscriptFacts): TranscriptFacts {
	if (known.unansweredTexts.length === 0) return known;
	return { ...addTexts(known, known.unansweredTexts), unansweredTexts: [] };
}

/** Every text in a value, however deep. */
export function stringsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (Array.isArray(value)) return value.flatMap(stringsIn);
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** The same for a CLI that escapes the angle brackets of what a hook adds. */
export function unescapedStringsIn(value: unknown): string[] {
	return stringsIn(value).map(unescaped);
}

/** Built at the first call: a hook that reads no transcript does not pay for its schemas. */
export function once<T>(make: () => T): () => T {
	let made: { value: T } | undefined;
	return () => (made ??= { value: make() }).value;
}
