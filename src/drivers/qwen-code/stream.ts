import * as z from 'zod/mini';
import type { HeadlessEvent, HeadlessFailure, HeadlessReader } from '../../core/driver/headless.ts';
import { SessionId } from '../../protocol/names.ts';
import { knownLine } from '../stream.ts';
import { inputSummary, textIn } from '../summary.ts';

const text = () => z._default(z.string(), '');
const count = () => z.optional(z.number());

const Block = z.lazy(() =>
	z.looseObject({
		type: z.string(),
		text: text(),
		/** The id of a call. */
		id: text(),
		name: text(),
		input: z.optional(z.unknown()),
		/** The id of the call that a result is for. */
		tool_use_id: text(),
		is_error: z.optional(z.boolean()),
		content: z.optional(z.unknown()),
	}),
);
type Block = z.infer<typeof Block>;

/** The meaningful lines of `--output-format stream-json` of Qwen Code 0.24.4; docs/agents/qwen.md has samples. */
const Line = z.lazy(() =>
	z.discriminatedUnion('type', [
		z.looseObject({
			type: z.literal('system'),
			subtype: z.literal('init'),
			session_id: SessionId,
			model: z.optional(z.string()),
		}),
		z.looseObject({
			type: z.enum(['assistant', 'user']),
			/** Set on a subagent's steps. */
			parent_tool_use_id: z.optional(z.nullable(z.string())),
			message: z.looseObject({ content: z.array(Block) }),
		}),
		z.looseObject({
			type: z.literal('result'),
			is_error: z.boolean(),
			result: text(),
			error: z.optional(z.looseObject({ message: text() })),
			usage: z.optional(z.looseObject({ input_tokens: count(), output_tokens: count() })),
		}),
	]),
);
type Line = z.infer<typeof Line>;
type Result = Extract<Line, { type: 'result' }>;

/** The CLI's words for a tool that needs a permission which nobody can give. */
const DECLINED = /^Qwen Code requires permission to use /;

/** The lines of one run. The CLI's result lists a hook's denial as a denied permission, so the results of tools decide. */
export class StreamReader implements HeadlessReader {
	/** Names of the tools under way, by their call. */
	private readonly tools = new Map<string, string>();

	read(line: string): readonly HeadlessEvent[] {
		const known = knownLine(Line, line);
		return known === undefined ? [] : this.eventsOf(known);
	}

	end(): readonly HeadlessEvent[] {
		return [];
	}

	private eventsOf(line: Line): readonly HeadlessEvent[] {
		switch (line.type) {
			case 'system':
				return [{ is: 'session', session: line.session_id, model: line.model }];
			case 'assistant':
			case 'user':
				// A subagent's steps belong to the agent that started it.
				return line.parent_tool_use_id ? [] : line.message.content.flatMap(block => this.eventOf(block));
			case 'result':
				return [resultOf(line)];
		}
	}

	private eventOf(block: Block): readonly HeadlessEvent[] {
		switch (block.type) {
			case 'text':
				return block.text === '' || API_ERROR.test(block.text) ? [] : [{ is: 'text', text: block.text }];
			case 'tool_use': {
				const { id, name: tool, input } = block;
				this.tools.set(id, tool);
				return [{ is: 'tool', tool, file: textIn(input, 'file_path'), summary: inputSummary(input) }];
			}
			case 'tool_result':
				return block.is_error === true ? [this.failedTool(block)] : [];
			default:
				return [];
		}
	}

	private failedTool({ tool_use_id, content }: Block): HeadlessEvent {
		const reason = typeof content === 'string' ? content : '';
		if (!DECLINED.test(reason)) return { is: 'tool-failed', reason };
		return { is: 'denied', tool: this.tools.get(tool_use_id) ?? '', reason };
	}
}

function resultOf({ is_error, result, error, usage }: Result): HeadlessEvent {
	const reason = error?.message || result;
	const failure = is_error ? failureOf(reason) : undefined;
	const { input_tokens: inputTokens, output_tokens: outputTokens } = usage ?? {};
	return {
		is: 'result',
		result: { text: failure ? reason : result, inputTokens, outputTokens, costUsd: undefined, failure },
	};
}

/** The CLI's message about a failed request: as an answer of the model's, and again in the result. */
const API_ERROR = /^\[API Error: (\d{3})?/;
const TOO_MANY = 429;
const FIRST_SERVER_ERROR = 500;

function failureOf(reason: string): HeadlessFailure {
	const said = API_ERROR.exec(reason);
	if (!said) return { reason, kind: 'final' };
	// No status means no answer at all: refused, cut off, timed out.
	const status = Number(said[1] ?? FIRST_SERVER_ERROR);
	if (status === TOO_MANY) return { reason, kind: 'too-many' };
	return { reason, kind: status >= FIRST_SERVER_ERROR ? 'transient' : 'final' };
}
