import * as z from 'zod/mini';
import {
	toldSum,
	type HeadlessEvent,
	type HeadlessFailure,
	type HeadlessReader,
	type RunUse,
} from '../../core/driver/headless.ts';
import { SessionId } from '../../protocol/names.ts';
import { valueOf } from '../stream.ts';
import { inputSummary, textIn } from '../summary.ts';

const count = z.optional(z.number());

const ToolUse = z.lazy(() =>
	z.looseObject({
		type: z.literal('tool_use'),
		part: z.looseObject({
			tool: z.string(),
			state: z.looseObject({
				status: z.string(),
				input: z.optional(z.unknown()),
				error: z.optional(z.string()),
			}),
		}),
	}),
);
const Text = z.lazy(() => z.looseObject({ type: z.literal('text'), part: z.looseObject({ text: z.string() }) }));
const StepFinish = z.lazy(() =>
	z.looseObject({
		type: z.literal('step_finish'),
		part: z.looseObject({
			reason: z.optional(z.string()),
			cost: count,
			tokens: z._default(z.looseObject({ input: count, output: count }), {}),
		}),
	}),
);
const Failed = z.lazy(() =>
	z.looseObject({
		type: z.literal('error'),
		error: z.looseObject({
			name: z._default(z.string(), ''),
			data: z.optional(
				z.looseObject({
					message: z.optional(z.string()),
					statusCode: z.optional(z.number()),
					isRetryable: z.optional(z.boolean()),
					responseBody: z.optional(z.string()),
					responseHeaders: z.optional(z.looseObject({ 'retry-after': z.optional(z.string()) })),
				}),
			),
		}),
	}),
);

/** The lines of `--format json` of opencode 1.18.33 that Nancy reads; docs/agents/opencode.md has samples. */
const Line = z.lazy(() => z.union([ToolUse, Text, StepFinish, Failed]));
const InSession = z.lazy(() => z.looseObject({ sessionID: SessionId }));

/** Too many requests, or the account's limit is used up. */
const TOO_MANY = 429;
/** The CLI's words for a permission that was refused, by a rule or because nobody was there to ask. */
const REFUSED = /^(?:The user rejected permission|The user has specified a rule)/;

/** Reads one run. The CLI prints no result: the result is the agent's last text once a step ends without a tool call. */
export class StreamReader implements HeadlessReader {
	private session: SessionId | undefined;
	private text = '';
	private inputTokens: number | undefined;
	private outputTokens: number | undefined;
	private costUsd: number | undefined;
	private failure: HeadlessFailure | undefined;
	private denied: string | undefined;
	private isOver = false;

	read(text: string): readonly HeadlessEvent[] {
		const value = valueOf(text);
		const line = Line.safeParse(value);
		return [...this.sessionOf(value), ...(line.success ? this.eventsOf(line.data) : [])];
	}

	/** A refused permission ends the run silently, with exit code 0. */
	end(exitCode: number | null): readonly HeadlessEvent[] {
		if (exitCode === null) return [];
		const failure = this.failure ?? this.withoutAnswer();
		if (!this.isOver && failure === undefined) return [];
		const text = failure?.reason ?? this.text;
		return [{ is: 'result', result: { text, ...this.use, failure } }];
	}

	private get use(): RunUse {
		const { inputTokens, outputTokens, costUsd } = this;
		// The CLI reports 0 for a model without a known price.
		return { inputTokens, outputTokens, costUsd: costUsd || undefined };
	}

	private withoutAnswer(): HeadlessFailure | undefined {
		if (this.isOver || this.denied === undefined) return undefined;
		return { reason: `It ended because it was not allowed to: ${this.denied}`, kind: 'final' };
	}

	private sessionOf(value: unknown): readonly HeadlessEvent[] {
		const named = InSession.safeParse(value);
		if (!named.success || this.session !== undefined) return [];
		this.session = named.data.sessionID;
		return [{ is: 'session', session: this.session }];
	}

	private eventsOf(line: z.infer<typeof Line>): readonly HeadlessEvent[] {
		switch (line.type) {
			case 'tool_use':
				return this.toolEvents(line.part);
			case 'text':
				this.text = line.part.text;
				return this.text === '' ? [] : [{ is: 'text', text: this.text }];
			case 'step_finish': {
				const { reason, cost, tokens } = line.part;
				this.inputTokens = toldSum(this.inputTokens, tokens.input);
				this.outputTokens = toldSum(this.outputTokens, tokens.output);
				this.costUsd = toldSum(this.costUsd, cost);
				this.isOver = reason !== 'tool-calls';
				return [{ is: 'use', use: this.use }];
			}
			case 'error':
				this.failure = failureOf(line.error);
				return quotaIn(line.error);
		}
	}

	/** Told once it has ended. */
	private toolEvents({ tool, state }: z.infer<typeof ToolUse>['part']): readonly HeadlessEvent[] {
		const file = textIn(state.input, 'filePath');
		const summary = file ?? inputSummary(state.input);
		const used: HeadlessEvent = { is: 'tool', tool, file, summary };
		if (state.status !== 'error') return [used];
		const reason = state.error ?? '';
		if (!REFUSED.test(reason)) return [used, { is: 'tool-failed', reason }];
		this.denied = [tool, summary].filter(Boolean).join(': ');
		return [used, { is: 'denied', tool, reason }];
	}
}

/** The service's own report of the account's limit: `FreeUsageLimitError`, and `GoUsageLimitError` with the seconds until the reset. */
const USED_UP = /UsageLimitError/;

function quotaIn({ data }: z.infer<typeof Failed>['error']): readonly HeadlessEvent[] {
	if (data?.statusCode !== TOO_MANY || !USED_UP.test(data.responseBody ?? '')) return [];
	const seconds = Number(data.responseHeaders?.['retry-after'] ?? NaN);
	return [{ is: 'quota', resetsAtMs: seconds >= 0 ? Date.now() + seconds * 1000 : undefined }];
}

function failureOf({ name, data }: z.infer<typeof Failed>['error']): HeadlessFailure {
	const status = data?.statusCode;
	const reason = [status, data?.message ?? name].filter(Boolean).join(' ') || 'an error without a name';
	if (status === TOO_MANY) return { reason, kind: 'too-many' };
	return { reason, kind: data?.isRetryable === true ? 'transient' : 'final' };
}
