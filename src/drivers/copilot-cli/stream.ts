import * as z from 'zod/mini';
import { toldSum, type HeadlessEvent, type HeadlessFailure, type HeadlessReader } from '../../core/driver/headless.ts';
import { SessionId } from '../../protocol/names.ts';
import { knownLine, using } from '../stream.ts';
import { inputSummary, textIn } from '../summary.ts';

/** Each line is an object; fields that Nancy does not read may be anything. test/fixtures/copilot-cli has samples. */
const Line = z.lazy(() =>
	z.looseObject({
		type: z.string(),
		/** Set on a subagent's steps. */
		agentId: z.optional(z.string()),
		data: z._default(z.looseObject({}), {}),
	}),
);

const Message = z.lazy(() =>
	z.looseObject({
		content: z._default(z.string(), ''),
		model: z.optional(z.string()),
		outputTokens: z.optional(z.number()),
	}),
);
const Start = z.lazy(() =>
	z.looseObject({
		toolCallId: z.string(),
		toolName: z.string(),
		arguments: z.optional(z.unknown()),
	}),
);
const Complete = z.lazy(() =>
	z.looseObject({
		toolCallId: z.string(),
		success: z.boolean(),
		error: z.optional(z.looseObject({ message: z._default(z.string(), ''), code: z.optional(z.string()) })),
	}),
);
const Retry = z.lazy(() => z.looseObject({ reason: z._default(z.string(), 'error') }));
const Failure = z.lazy(() =>
	z.looseObject({
		message: z._default(z.string(), ''),
		errorType: z.optional(z.string()),
		errorCode: z.optional(z.string()),
		statusCode: z.optional(z.number()),
	}),
);
const Result = z.lazy(() => z.looseObject({ sessionId: SessionId, exitCode: z.number() }));

/** Too many requests, or the account's limit is used up. */
const TOO_MANY = 429;
const FIRST_SERVER_ERROR = 500;
/** A denial by a hook, such as a halt of Nancy's, is not a denied permission. */
const BY_HOOK = /^(?:Denied by preToolUse hook|Permission denied by a PermissionRequest hook)/;

/** Reads `--output-format json`. Only the last line says how the run ended, and which session it was. */
export class StreamReader implements HeadlessReader {
	/** Names of the tools under way, by their call. */
	private readonly tools = new Map<string, string>();
	private text = '';
	private model: string | undefined;
	private outputTokens: number | undefined;
	private failure: z.infer<typeof Failure> | undefined;

	read(text: string): readonly HeadlessEvent[] {
		const line = knownLine(Line, text);
		// A subagent's steps belong to the agent that started it.
		return line === undefined || line.agentId !== undefined ? [] : this.readLine(line);
	}

	/** A killed run has exit code 0 but no result line. The missing result tells. */
	end(): readonly HeadlessEvent[] {
		return [];
	}

	private readLine(line: z.infer<typeof Line>): readonly HeadlessEvent[] {
		switch (line.type) {
			case 'assistant.message':
				return using(Message, line.data, message => this.readMessage(message));
			case 'tool.execution_start':
				return using(Start, line.data, ({ toolCallId, toolName, arguments: input }) => {
					this.tools.set(toolCallId, toolName);
					const file = textIn(input, 'path');
					return [{ is: 'tool', tool: toolName, file, summary: file ?? inputSummary(input) }];
				});
			case 'tool.execution_complete':
				return using(Complete, line.data, complete => this.readComplete(complete));
			case 'assistant.turn_retry':
				return using(Retry, line.data, ({ reason }) => [{ is: 'retrying', reason, afterMs: 0 }]);
			case 'session.error':
				return using(Failure, line.data, failure => {
					this.failure = failure;
					return [];
				});
			case 'result':
				return using(Result, line, result => this.readResult(result));
			default:
				return [];
		}
	}

	private readMessage({ content, model, outputTokens }: z.infer<typeof Message>): readonly HeadlessEvent[] {
		this.model = model ?? this.model;
		this.outputTokens = toldSum(this.outputTokens, outputTokens);
		this.failure = undefined;
		if (content === '') return [];
		this.text = content;
		return [{ is: 'text', text: content }];
	}

	private readComplete({ toolCallId, success, error }: z.infer<typeof Complete>): readonly HeadlessEvent[] {
		const tool = this.tools.get(toolCallId) ?? '';
		this.tools.delete(toolCallId);
		if (success) return [];
		const reason = error?.message ?? '';
		return error?.code === 'denied' && !BY_HOOK.test(reason)
			? [{ is: 'denied', tool, reason }]
			: [{ is: 'tool-failed', reason }];
	}

	private readResult({ sessionId, exitCode }: z.infer<typeof Result>): readonly HeadlessEvent[] {
		const failure = exitCode === 0 ? undefined : failureOf(this.failure, exitCode);
		return [
			{ is: 'session', session: sessionId, model: this.model },
			...(failure && isUsedUp(this.failure) ? [{ is: 'quota' } as const] : []),
			{
				is: 'result',
				result: {
					text: failure?.reason ?? this.text,
					inputTokens: undefined,
					outputTokens: this.outputTokens,
					costUsd: undefined,
					failure,
				},
			},
		];
	}
}

/** The service's report of a used-up account; `ErrorData` in the CLI's schemas/session-events.schema.json. It has no reset time. */
const USED_UP = /^(?:quota_exceeded|free_quota_exceeded|user_weekly_rate_limited|user_global_rate_limited)$/;
/** Also of the kind `quota`, but time does not reset this limit. */
const NEVER_RESETS = /^(?:session_quota_exceeded|billing_not_configured)$/;

function isUsedUp(failure: z.infer<typeof Failure> | undefined): boolean {
	const { errorType, errorCode = '' } = failure ?? {};
	return (errorType === 'quota' && !NEVER_RESETS.test(errorCode)) || USED_UP.test(errorCode);
}

function failureOf(failure: z.infer<typeof Failure> | undefined, exitCode: number): HeadlessFailure {
	const reason = failure?.message || `it ended with code ${exitCode}`;
	const status = failure?.statusCode;
	if (NEVER_RESETS.test(failure?.errorCode ?? '')) return { reason, kind: 'final' };
	if (status === TOO_MANY || failure?.errorType === 'rate_limit' || isUsedUp(failure))
		return { reason, kind: 'too-many' };
	// No status means no answer at all: refused, cut off, timed out.
	const isTransient = failure !== undefined && (status === undefined || status >= FIRST_SERVER_ERROR);
	return { reason, kind: isTransient ? 'transient' : 'final' };
}
