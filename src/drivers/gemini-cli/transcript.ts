import * as z from 'zod/mini';
import type { TranscriptFacts, TranscriptFormat } from '../../core/driver/driver.ts';
import { addTexts, once, stringsIn } from '../transcripts.ts';

const schema = once(() => {
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
});
type Line = z.infer<ReturnType<typeof schema>>;

/** The session's file below `~/.gemini/tmp/<project>/chats`. A line with an id that was there already takes its place. */
export const transcript: TranscriptFormat = {
	keepsDeliveries: true,
	fold(known, value) {
		const line = schema().safeParse(value);
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
				return content === 'Request cancelled.'
					? { ...known, interruptedAt: timestamp, turnOverAt: timestamp }
					: known;
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
