import * as z from 'zod/mini';
import type { RateLimit, TranscriptFacts, TranscriptFormat } from '../../core/driver/transcript.ts';
import { addTexts, once } from '../transcripts.ts';

const schemas = once(() => {
	const payload = z.looseObject({ type: z.optional(z.string()) });
	const usage = z.looseObject({
		input_tokens: z._default(z.number(), 0),
		output_tokens: z._default(z.number(), 0),
	});
	const part = z.looseObject({ text: z.optional(z.string()) });
	const limit = z.looseObject({
		used_percent: z.number(),
		window_minutes: z.optional(z.nullable(z.number())),
		/** Unix seconds. */
		resets_at: z.optional(z.nullable(z.number().check(z.nonnegative(), z.maximum(8_000_000_000)))),
	});
	const maybeLimit = z.catch(z.optional(z.nullable(limit)), undefined);
	return {
		line: z.looseObject({ type: z.string(), timestamp: z.optional(z.string()), payload }),
		turnContext: z.looseObject({ model: z.string() }),
		tokenCount: z.looseObject({
			info: z.optional(
				z.nullable(
					z.looseObject({
						total_token_usage: usage,
						last_token_usage: usage,
						model_context_window: z.optional(z.nullable(z.number())),
					}),
				),
			),
			/** Absent for an account that has no limits, as one with an API key. */
			rate_limits: z.catch(
				z.optional(z.nullable(z.looseObject({ primary: maybeLimit, secondary: maybeLimit }))),
				undefined,
			),
		}),
		limit,
		message: z.looseObject({ role: z.string(), content: z.array(part) }),
		output: z.looseObject({ output: z.union([z.string(), z.array(part)]) }),
		complete: z.looseObject({ error: z.optional(z.unknown()) }),
	};
});

/** The session's `rollout-….jsonl` below `$CODEX_HOME/sessions`. A subagent's is a file of its own. */
export const transcript: TranscriptFormat = {
	words: 'none',
	isNancys: false,
	keepsDelivery: () => true,
	fold(known, value) {
		const line = schemas().line.safeParse(value);
		if (!line.success) return known;
		const { type, payload, timestamp } = line.data;
		switch (payload.type === undefined ? type : `${type}/${payload.type}`) {
			case 'turn_context': {
				const context = schemas().turnContext.safeParse(payload);
				return context.success ? { ...known, model: context.data.model } : known;
			}
			case 'event_msg/token_count':
				return foldTokens(known, payload);
			case 'event_msg/task_started':
				return { ...known, interruptedAt: undefined, turnOverAt: timestamp ?? known.turnOverAt };
			case 'event_msg/turn_aborted':
				return { ...known, interruptedAt: timestamp ?? '', turnOverAt: timestamp ?? known.turnOverAt };
			case 'event_msg/task_complete': {
				// A turn that the model failed ends without any hook.
				const { data } = schemas().complete.safeParse(payload);
				const hasFailed = data?.error !== undefined && data.error !== null;
				return hasFailed ? { ...known, interruptedAt: timestamp ?? '' } : known;
			}
			case 'response_item/message': {
				const message = schemas().message.safeParse(payload);
				if (!message.success || message.data.role === 'assistant') return known;
				return addTexts(known, textsOf(message.data.content));
			}
			case 'response_item/function_call_output':
			case 'response_item/custom_tool_call_output': {
				const output = schemas().output.safeParse(payload);
				return output.success ? addTexts(known, textsOf(output.data.output)) : known;
			}
			default:
				return known;
		}
	},
};

function foldTokens(known: TranscriptFacts, payload: unknown): TranscriptFacts {
	const count = schemas().tokenCount.safeParse(payload);
	if (!count.success) return known;
	const { info, rate_limits: told } = count.data;
	const limits = [told?.primary, told?.secondary].flatMap(limit => (limit ? [limitOf(limit)] : []));
	const facts = limits.length === 0 ? known : { ...known, limits };
	if (!info) return facts;
	const { total_token_usage: total, last_token_usage: last, model_context_window: window } = info;
	return {
		...facts,
		contextTokens: last.input_tokens + last.output_tokens,
		contextWindow: window ?? known.contextWindow,
		inputTokens: total.input_tokens,
		outputTokens: total.output_tokens,
	};
}

function limitOf({ used_percent, window_minutes, resets_at }: z.infer<ReturnType<typeof schemas>['limit']>): RateLimit {
	return {
		minutes: window_minutes ?? undefined,
		usedPercent: used_percent,
		resetsAt: resets_at ? new Date(resets_at * 1000).toISOString() : undefined,
	};
}

function textsOf(content: string | readonly { text?: string | undefined }[]): string[] {
	return typeof content === 'string' ? [content] : content.flatMap(part => part.text ?? []);
}
