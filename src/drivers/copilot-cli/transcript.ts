import * as z from 'zod/mini';
import type { TranscriptFacts, TranscriptFormat } from '../../core/driver/transcript.ts';
import { addTexts, once, stringsIn } from '../transcripts.ts';

const schemas = once(() => {
	const count = z._default(z.number(), 0);
	const maybeText = z.optional(z.string());
	return {
		line: z.looseObject({
			type: z.string(),
			timestamp: maybeText,
			/** Set on a subagent's lines. */
			agentId: maybeText,
			data: z.looseObject({}),
		}),
		start: z.looseObject({ selectedModel: z.string() }),
		modelChange: z.looseObject({ newModel: z.string() }),
		usage: z.looseObject({
			usage: z.looseObject({
				model: maybeText,
				inputTokens: count,
				outputTokens: count,
				maxPromptTokens: z.optional(z.number()),
				apiCallId: maybeText,
			}),
		}),
		said: z.looseObject({
			type: z.literal('assistant.message'),
			timestamp: z.string(),
			agentId: z.optional(z.undefined()),
			data: z.looseObject({ content: z.string().check(z.minLength(1)) }),
		}),
		permission: z.looseObject({ result: z.looseObject({ interrupt: z.literal(true) }) }),
	};
});

/** The session's `events.jsonl` below `$COPILOT_HOME/session-state/<session>`. */
export const transcript: TranscriptFormat = {
	// No event has them.
	words(line) {
		const said = schemas().said.safeParse(line);
		return said.success ? { at: said.data.timestamp, text: said.data.data.content } : undefined;
	},
	isNancys: false,
	keepsDelivery: () => true,
	fold(known, value) {
		const line = schemas().line.safeParse(value);
		if (!line.success || line.data.agentId !== undefined) return known;
		const { type, data, timestamp = '' } = line.data;
		switch (type) {
			case 'session.start': {
				const start = schemas().start.safeParse(data);
				return start.success ? { ...known, model: start.data.selectedModel } : known;
			}
			case 'session.model_change': {
				const change = schemas().modelChange.safeParse(data);
				return change.success ? { ...known, model: change.data.newModel } : known;
			}
			case 'session.usage_record':
				return foldUsage(known, data);
			// A turn that the user broke off, that the model failed, or that a pause ended. No hook reports any of these.
			case 'abort':
			case 'session.error':
				return { ...known, interruptedAt: timestamp, turnOverAt: timestamp };
			case 'permission.completed':
				return schemas().permission.safeParse(data).success ? { ...known, interruptedAt: timestamp } : known;
			case 'assistant.turn_start':
				return { ...known, interruptedAt: undefined };
			case 'user.message':
				return addTexts({ ...known, interruptedAt: undefined, turnOverAt: timestamp }, stringsIn(data));
			case 'tool.execution_complete':
			case 'system.message':
				return addTexts(known, stringsIn(data));
			default:
				return known;
		}
	},
};

function foldUsage(known: TranscriptFacts, data: unknown): TranscriptFacts {
	const parsed = schemas().usage.safeParse(data);
	if (!parsed.success) return known;
	const { model, inputTokens, outputTokens, maxPromptTokens, apiCallId } = parsed.data.usage;
	if (apiCallId !== undefined && apiCallId === known.lastReply) return known;
	return {
		...known,
		model: model ?? known.model,
		contextTokens: inputTokens + outputTokens,
		contextWindow: maxPromptTokens ?? known.contextWindow,
		inputTokens: known.inputTokens + inputTokens,
		outputTokens: known.outputTokens + outputTokens,
		lastReply: apiCallId ?? known.lastReply,
	};
}
