import * as z from 'zod/mini';
import type { TranscriptFacts, TranscriptFormat } from '../../core/driver.ts';

/** Built at the first line: a hook that reads no transcript does not pay for it. */
const schemas = once(() => {
	const count = z._default(z.number(), 0);
	const maybeText = z.optional(z.string());
	return {
		line: z.looseObject({
			type: z.string(),
			timestamp: maybeText,
			/** On what a subagent does. */
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
		permission: z.looseObject({ result: z.looseObject({ interrupt: z.literal(true) }) }),
	};
});

/** What is kept for matching: more than one delivery is due at a time, but not a whole day's. */
const MOST_TEXTS = 200;

/** The session's `events.jsonl` below `$COPILOT_HOME/session-state/<session>`. */
export const transcript: TranscriptFormat = {
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
			// A turn that the user broke off, that the model failed, or that a pause ended: no hook tells of any of them.
			case 'abort':
			case 'session.error':
				return { ...known, interruptedAt: timestamp };
			case 'permission.completed':
				return schemas().permission.safeParse(data).success ? { ...known, interruptedAt: timestamp } : known;
			case 'assistant.turn_start':
				return { ...known, interruptedAt: undefined };
			case 'user.message':
				return addTexts({ ...known, interruptedAt: undefined }, stringsIn(data));
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
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function once<T>(make: () => T): () => T {
	let made: { value: T } | undefined;
	return () => (made ??= { value: make() }).value;
}
