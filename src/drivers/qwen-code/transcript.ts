import * as z from 'zod/mini';
import type { TranscriptFacts, TranscriptFormat } from '../../core/driver/driver.ts';
import { addTexts, once, stringsIn } from '../transcripts.ts';

const schema = once(() => {
	const count = z._default(z.number(), 0);
	return z.looseObject({
		uuid: z.string(),
		type: z.string(),
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
	keepsDeliveries: true,
	fold(known, value) {
		const line = schema().safeParse(value);
		if (!line.success) return known;
		switch (line.data.type) {
			case 'assistant':
				return foldReply(known, line.data);
			case 'user':
			case 'tool_result':
				return addTexts(known, stringsIn(line.data.message).flatMap(asSaid));
			default:
				return known;
		}
	},
};

/** The CLI escapes the angle brackets of a context, but not of a reason: which one a text was, nothing tells. */
function asSaid(text: string): string[] {
	const plain = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
	return plain === text ? [text] : [text, plain];
}

function foldReply(known: TranscriptFacts, { uuid, model, usageMetadata: usage }: Line): TranscriptFacts {
	if (!usage || uuid === known.lastReply) return known;
	return {
		...known,
		interruptedAt: undefined,
		model: model ?? known.model,
		contextTokens: usage.totalTokenCount,
		inputTokens: known.inputTokens + usage.promptTokenCount,
		outputTokens: known.outputTokens + usage.candidatesTokenCount,
		lastReply: uuid,
	};
}
