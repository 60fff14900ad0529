import * as z from 'zod/mini';
import type { TranscriptFacts, TranscriptFormat } from '../../core/driver/transcript.ts';
import { addTexts, addUnanswered, answered, once, unescapedStringsIn } from '../transcripts.ts';

const schema = once(() => {
	const count = z._default(z.number(), 0);
	return z.looseObject({
		uuid: z.string(),
		type: z.string(),
		timestamp: z._default(z.string(), ''),
		model: z.optional(z.string()),
		message: z.optional(z.unknown()),
		usageMetadata: z.optional(
			z.looseObject({
				promptTokenCount: count,
				candidatesTokenCount: count,
				totalTokenCount: count,
			}),
		),
	});
});
type Line = z.infer<ReturnType<typeof schema>>;

/** The session's file below `~/.qwen/projects/<folder>/chats`. */
export const transcript: TranscriptFormat = {
	words: 'none',
	isNancys: false,
	// No line holds a reason that keeps the agent going. A long message may have come with several events.
	keepsDelivery: ({ event, parts }) => event !== 'Stop' && parts === undefined,
	fold(known, value) {
		const line = schema().safeParse(value);
		if (!line.success) return known;
		const { type, message, timestamp } = line.data;
		switch (type) {
			case 'assistant':
				return foldReply(known, line.data);
			case 'user':
				// If another prompt follows without an answer, the user broke the first one off, and the CLI has taken it back.
				return addUnanswered(
					{ ...known, unansweredTexts: [], turnOverAt: timestamp },
					unescapedStringsIn(message),
				);
			case 'tool_result':
				return addTexts(known, unescapedStringsIn(message));
			default:
				return known;
		}
	},
};

function foldReply(known: TranscriptFacts, { uuid, model, usageMetadata: usage }: Line): TranscriptFacts {
	if (!usage || uuid === known.lastReply) return known;
	return {
		...answered(known),
		interruptedAt: undefined,
		model: model ?? known.model,
		contextTokens: usage.totalTokenCount,
		inputTokens: known.inputTokens + usage.promptTokenCount,
		outputTokens: known.outputTokens + usage.candidatesTokenCount,
		lastReply: uuid,
	};
}
