import * as z from 'zod/mini';
import type { TranscriptFacts, TranscriptFormat } from '../../core/driver/transcript.ts';
import { addUnanswered, answered, once, unescapedStringsIn } from '../transcripts.ts';

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

const replacement = once(() => z.looseObject({ $set: z.looseObject({ messages: z.array(z.unknown()) }) }));

/** The session's file below `~/.gemini/tmp/<project>/chats`. A line with a known id replaces the earlier one. */
export const transcript: TranscriptFormat = {
	words: 'none',
	isNancys: false,
	keepsDelivery: () => true,
	fold(known, value) {
		const line = schema().safeParse(value);
		if (!line.success) return foldReplacement(known, value);
		const { type, content, timestamp } = line.data;
		switch (type) {
			case 'gemini':
				return foldReply(known, line.data);
			case 'user':
				return addUnanswered({ ...known, turnOverAt: timestamp }, unescapedStringsIn(content));
			// A turn that the user broke off, or a question answered with No. No hook reports either. The prompt may be recorded
			// afterwards, and again; the next reply shows that the turn goes on.
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
		...answered(facts),
		interruptedAt: isBrokenOff ? timestamp : undefined,
		model: model ?? known.model,
		contextTokens: tokens.total,
		inputTokens: known.inputTokens + tokens.input,
		outputTokens: known.outputTokens + tokens.output + tokens.thoughts,
		lastReply: id,
	};
}

/** If the user breaks a prompt off before its answer, the CLI takes that prompt back. It rewrites its history before the next prompt. */
function foldReplacement(known: TranscriptFacts, value: unknown): TranscriptFacts {
	const parsed = replacement().safeParse(value);
	if (!parsed.success || known.unansweredTexts.length === 0) return known;
	const kept = new Set(unescapedStringsIn(parsed.data.$set.messages));
	return { ...known, unansweredTexts: known.unansweredTexts.filter(text => kept.has(text)) };
}
