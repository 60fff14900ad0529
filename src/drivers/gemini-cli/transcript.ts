import * as z from 'zod/mini';
import type { TranscriptFacts, TranscriptFormat } from '../../core/driver.ts';
import { isObject } from '../summary.ts';

/** Built at the first line: a hook that reads no transcript does not pay for it. */
let schema: ReturnType<typeof makeSchema> | undefined;
function makeSchema() {
	const count = z._default(z.number(), 0);
	return z.looseObject({
		id: z.string(),
		type: z.string(),
		timestamp: z._default(z.string(), ''),
		content: z.unknown(),
		model: z.optional(z.string()),
		tokens: z.optional(z.nullable(z.looseObject({ input: count, output: count, thoughts: count, total: count }))),
		toolCalls: z.optional(z.array(z.looseObject({ status: z.optional(z.string()) }))),
	});
}
type Line = z.infer<ReturnType<typeof makeSchema>>;

/** What is kept for matching: more than one delivery is due at a time, but not a whole day's. */
const MOST_TEXTS = 200;

/** The session's file below `~/.gemini/tmp/<project>/chats`. A line with an id that was there already takes its place. */
export const transcript: TranscriptFormat = {
	fold(known, value) {
		const line = (schema ??= makeSchema()).safeParse(value);
		if (!line.success) return known;
		const { type, content, timestamp } = line.data;
		switch (type) {
			case 'gemini':
				return foldReply(known, line.data);
			case 'user':
				return addTexts(known, stringsIn(content));
			// A turn that the user broke off, or a question answered with No: no hook tells of either. The prompt may be recorded
			// after it, and again; the next reply shows that it is over.
			case 'info':
				return content === 'Request cancelled.' ? { ...known, interruptedAt: timestamp } : known;
			default:
				return known;
		}
	},
};

function foldReply(known: TranscriptFacts, { id, timestamp, model, tokens, toolCalls = [] }: Line): TranscriptFacts {
	const isBrokenOff = toolCalls.length > 0 && toolCalls.every(({ status }) => status === 'cancelled');
	const facts = isBrokenOff ? { ...known, interruptedAt: timestamp } : known;
	if (!tokens || id === known.lastReply) return facts;
	return {
		...facts,
		interruptedAt: isBrokenOff ? timestamp : undefined,
		model: model ?? known.model,
		contextTokens: tokens.total,
		inputTokens: known.inputTokens + tokens.input,
		outputTokens: known.outputTokens + tokens.output + tokens.thoughts,
		lastReply: id,
	};
}

/** Only what carries a message of Nancy's: everything else in the conversation is long, and of no use here. */
function addTexts(known: TranscriptFacts, texts: readonly string[]): TranscriptFacts {
	const delivered = texts.filter(text => text.includes('[Nancy message '));
	if (delivered.length === 0) return known;
	return { ...known, deliveredTexts: [...known.deliveredTexts, ...delivered].slice(-MOST_TEXTS) };
}

/** Every text in a value, however deep. */
function stringsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (Array.isArray(value)) return value.flatMap(stringsIn);
	return isObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}
