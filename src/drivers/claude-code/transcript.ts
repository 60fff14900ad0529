import * as z from 'zod/mini';
import type { Decider, TranscriptFacts, TranscriptFormat } from '../../core/driver/transcript.ts';
import { addUnanswered, answered, once, stringsIn } from '../transcripts.ts';

const schemas = once(() => {
	const count = z._default(z.number(), 0);
	const usage = z.looseObject({
		input_tokens: count,
		output_tokens: count,
		cache_creation_input_tokens: count,
		cache_read_input_tokens: count,
	});
	return {
		line: z.looseObject({
			type: z.string(),
			timestamp: z.optional(z.string()),
			isSidechain: z.optional(z.boolean()),
		}),
		reply: z.looseObject({ message: z.looseObject({ id: z.string(), model: z.optional(z.string()), usage }) }),
		cost: z.looseObject({
			totalCostUSD: z.optional(z.number()),
			modelUsage: z.optional(z.record(z.string(), z.looseObject({ contextWindow: z.optional(z.number()) }))),
		}),
		attachment: z.looseObject({
			attachment: z.looseObject({ type: z.string(), content: z.optional(z.unknown()) }),
		}),
		said: z.looseObject({
			parentUuid: z.optional(z.nullable(z.string())),
			message: z.looseObject({ content: z.unknown() }),
		}),
		decided: z.looseObject({
			message: z.looseObject({ content: z.tuple([z.looseObject({ tool_use_id: z.string() })]) }),
			permissionDecision: z.optional(z.looseObject({ source: z.string() })),
			toolDenialKind: z.optional(z.string()),
			toolDenialBeforeRun: z.optional(z.boolean()),
		}),
		stopSummary: z.looseObject({ subtype: z.literal('stop_hook_summary') }),
	};
});

type Decided = z.infer<ReturnType<typeof schemas>['decided']>;

const INTERRUPTED = '[Request interrupted by user';
/** The context window of a model if the transcript says nothing else. */
const WINDOW = 200_000;

/** The session's JSONL below ~/.claude/projects. Other agents' lines (sidechains) are not the session's own context. */
export const transcript: TranscriptFormat = {
	words: 'none',
	isNancys: false,
	keepsDelivery: () => true,
	fold(known, value) {
		const line = schemas().line.safeParse(value);
		if (!line.success || line.data.isSidechain === true) return known;
		switch (line.data.type) {
			case 'assistant':
				return foldReply(known, value);
			case 'cost-state':
				return foldCost(known, value);
			case 'attachment':
				return foldAttachment(known, value);
			case 'system':
				return schemas().stopSummary.safeParse(value).success ? addUnanswered(known, stringsIn(value)) : known;
			case 'user':
				return foldUser(foldDecision(known, value), value, line.data.timestamp);
			default:
				return known;
		}
	},
};

/** One reply is written once for each of its blocks, each time with the whole reply's usage so far. */
function foldReply(known: TranscriptFacts, value: unknown): TranscriptFacts {
	const parsed = schemas().reply.safeParse(value);
	if (!parsed.success) return known;
	const { id, model, usage } = parsed.data.message;
	if (model === '<synthetic>') return known; // the CLI's own words about an error
	const input = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
	const isRepeat = known.lastReply === id;
	return {
		...(isRepeat ? known : answered(known)),
		model: model ?? known.model,
		contextTokens: input + usage.output_tokens,
		contextWindow: known.contextWindow ?? WINDOW,
		inputTokens: known.inputTokens + (isRepeat ? 0 : input),
		outputTokens: known.outputTokens + (isRepeat ? 0 : usage.output_tokens),
		interruptedAt: undefined,
		lastReply: id,
	};
}

function foldCost(known: TranscriptFacts, value: unknown): TranscriptFacts {
	const parsed = schemas().cost.safeParse(value);
	if (!parsed.success) return known;
	const windows = Object.values(parsed.data.modelUsage ?? {}).flatMap(usage => usage.contextWindow ?? []);
	return {
		...known,
		costUsd: parsed.data.totalCostUSD ?? known.costUsd,
		contextWindow: windows.length > 0 ? Math.max(...windows) : known.contextWindow,
	};
}

function foldAttachment(known: TranscriptFacts, value: unknown): TranscriptFacts {
	const parsed = schemas().attachment.safeParse(value);
	if (!parsed.success || parsed.data.attachment.type !== 'hook_additional_context') return known;
	return addUnanswered(known, stringsIn(parsed.data.attachment.content));
}

/** With the result of a call. */
function foldDecision(known: TranscriptFacts, value: unknown): TranscriptFacts {
	const parsed = schemas().decided.safeParse(value);
	if (!parsed.success) return known;
	const [{ tool_use_id: call }] = parsed.data.message.content;
	const by = deciderIn(parsed.data);
	return by === undefined ? known : { ...known, decided: { call, by } };
}

function deciderIn({ permissionDecision, toolDenialKind, toolDenialBeforeRun }: Decided): Decider | undefined {
	if (permissionDecision) return permissionDecision.source === 'hook' ? 'hook' : 'other';
	// Also after a denial by a hook that ends the turn.
	if (toolDenialKind === 'user-rejected') return toolDenialBeforeRun ? 'nobody' : 'unknown';
	return undefined;
}

/** A denied call carries the reason as its result. */
function foldUser(known: TranscriptFacts, value: unknown, timestamp: string | undefined): TranscriptFacts {
	const parsed = schemas().said.safeParse(value);
	if (!parsed.success) return known;
	const texts = stringsIn(parsed.data.message.content);
	if (texts.some(text => text.startsWith(INTERRUPTED)))
		return { ...known, interruptedAt: timestamp ?? '', turnOverAt: timestamp ?? known.turnOverAt };
	const running = { ...known, interruptedAt: undefined };
	// A prompt is a plain text; results of tools come in a list.
	if (typeof parsed.data.message.content !== 'string') return addUnanswered(running, texts);
	const promptParent = parsed.data.parentUuid ?? '';
	// The user broke off the prompt before this one without an answer. The CLI takes that prompt back, with everything that came with it.
	const isInPlace = promptParent === known.promptParent;
	return addUnanswered(
		{
			...running,
			promptParent,
			turnOverAt: timestamp ?? known.turnOverAt,
			...(isInPlace && { unansweredTexts: [] }),
		},
		texts,
	);
}
