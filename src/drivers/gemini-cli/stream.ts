import * as z from 'zod/mini';
import type { HeadlessEvent, HeadlessFailure, HeadlessReader } from '../../core/driver/headless.ts';
import { SessionId } from '../../protocol/names.ts';
import { knownLine } from '../stream.ts';
import { inputSummary, oneLine, textIn } from '../summary.ts';

const text = () => z._default(z.string(), '');
const count = () => z.optional(z.number());

/** The meaningful lines of `--output-format stream-json`. */
const Line = z.lazy(() =>
	z.discriminatedUnion('type', [
		z.looseObject({ type: z.literal('init'), session_id: SessionId, model: z.optional(z.string()) }),
		z.looseObject({ type: z.literal('message'), role: z.string(), content: text() }),
		z.looseObject({
			type: z.literal('tool_use'),
			tool_name: z.string(),
			tool_id: text(),
			parameters: z.optional(z.looseObject({})),
		}),
		z.looseObject({
			type: z.literal('tool_result'),
			tool_id: text(),
			status: text(),
			output: text(),
			error: z.optional(z.looseObject({ type: text(), message: text() })),
		}),
		z.looseObject({ type: z.literal('error'), severity: text(), message: text() }),
		z.looseObject({
			type: z.literal('result'),
			status: z.string(),
			error: z.optional(z.looseObject({ message: text() })),
			stats: z.optional(z.looseObject({ input_tokens: count(), output_tokens: count() })),
		}),
	]),
);
type Line = z.infer<typeof Line>;
type ToolResult = Extract<Line, { type: 'tool_result' }>;
type Result = Extract<Line, { type: 'result' }>;

/** FatalUntrustedWorkspaceError. */
const UNTRUSTED = 55;
const UNTRUSTED_REASON =
	'Gemini CLI does not trust this folder. Start it here once in a terminal and choose “Trust folder”.';

/** The lines of one run. The CLI prints its answer in pieces, and does not repeat it in the result. */
export class StreamReader implements HeadlessReader {
	/** Names of the tools under way, by their call. */
	private readonly tools = new Map<string, string>();
	/** The agent's text since its last tool. */
	private words = '';
	private lastWords = '';

	read(line: string): readonly HeadlessEvent[] {
		const known = knownLine(Line, line);
		return known === undefined ? [] : this.eventsOf(known);
	}

	/** A run that never began prints no result. A run that a signal ended has none either, although its exit code is 0. */
	end(exitCode: number | null): readonly HeadlessEvent[] {
		if (exitCode !== UNTRUSTED) return [];
		return [resultOf(UNTRUSTED_REASON, undefined, { reason: UNTRUSTED_REASON, kind: 'final' })];
	}

	private eventsOf(line: Line): readonly HeadlessEvent[] {
		switch (line.type) {
			case 'init':
				return [{ is: 'session', session: line.session_id, model: line.model }];
			case 'message':
				if (line.role === 'assistant') this.words += line.content;
				return [];
			case 'tool_use': {
				this.tools.set(line.tool_id, line.tool_name);
				const file = oneLine(textIn(line.parameters, 'file_path'));
				const summary = inputSummary(line.parameters);
				return [...this.said(), { is: 'tool', tool: line.tool_name, file, summary }];
			}
			case 'tool_result':
				return this.readToolResult(line);
			case 'error':
				// A hook denies the agent's end. The following text is another answer.
				return this.said();
			case 'result':
				return [...this.said(), ...quotaIn(line), this.readResult(line)];
		}
	}

	/** The text so far, as one. */
	private said(): readonly HeadlessEvent[] {
		const words = this.words.trim();
		this.words = '';
		if (words === '') return [];
		this.lastWords = words;
		return [{ is: 'text', text: words }];
	}

	private readToolResult({ tool_id, status, output, error }: ToolResult): readonly HeadlessEvent[] {
		const tool = this.tools.get(tool_id) ?? '';
		this.tools.delete(tool_id);
		if (status !== 'error') return [];
		const reason = error?.message || output;
		return error?.type === 'policy_violation' && !BY_HOOK.test(reason)
			? [{ is: 'denied', tool, reason }]
			: [{ is: 'tool-failed', reason }];
	}

	private readResult({ status, error, stats }: Result): HeadlessEvent {
		const reason = error?.message || `it ended with the status ${status}`;
		return status === 'success' ? resultOf(this.lastWords, stats) : resultOf(reason, stats, failureOf(reason));
	}
}

/** A denial by a hook, such as a halt of Nancy's, is not a denied permission. */
const BY_HOOK = /^Tool execution blocked: /;

function resultOf(text: string, stats: Result['stats'], failure?: HeadlessFailure): HeadlessEvent {
	const { input_tokens: inputTokens, output_tokens: outputTokens } = stats ?? {};
	return { is: 'result', result: { text, inputTokens, outputTokens, costUsd: undefined, failure } };
}

/** The account's own limit, not a limit per minute: TerminalQuotaError in the CLI, and the service's own words. */
const USED_UP = /exhausted your (?:daily quota|capacity)|quota will reset after/i;
const UNITS_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };

function quotaIn({ status, error }: Result): readonly HeadlessEvent[] {
	const reason = error?.message ?? '';
	if (status === 'success' || !USED_UP.test(reason)) return [];
	const after = /reset after ((?:\d+(?:\.\d+)?[dhms])+)/i.exec(reason)?.[1];
	return [{ is: 'quota', resetsAtMs: after === undefined ? undefined : Date.now() + durationMs(after) }];
}

/** The milliseconds of a duration such as `8h30m0s`. */
function durationMs(text: string): number {
	let sum = 0;
	for (const [, count, unit] of text.toLowerCase().matchAll(/([\d.]+)([dhms])/g))
		sum += Number(count) * UNITS_MS[unit === 'd' || unit === 'h' || unit === 'm' ? unit : 's'];
	return sum;
}

const QUOTA = /"code":\s*429\b|quota|RESOURCE_EXHAUSTED|rate limit/i;
const TRANSIENT = /"code":\s*5\d\d\b|UNAVAILABLE|fetch failed|ECONN|ETIMEDOUT|timed? ?out/;

function failureOf(reason: string): HeadlessFailure {
	if (QUOTA.test(reason) || USED_UP.test(reason)) return { reason, kind: 'too-many' };
	return { reason, kind: TRANSIENT.test(reason) ? 'transient' : 'final' };
}
