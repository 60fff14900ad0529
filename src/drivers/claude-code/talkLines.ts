import * as z from 'zod/mini';
import type { StdioLine, TalkUpdate } from '../../core/driver/stdio.ts';
import { valueOf } from '../stream.ts';
import { isObject, textIn } from '../summary.ts';

/** The fields of each line. Fields that Nancy does not read may be anything, and lines of another type say nothing. */
const Line = z.looseObject({
	type: z.string(),
	subtype: z.optional(z.string()),
	session_id: z.optional(z.string()),
	uuid: z.optional(z.string()),
	/** Set on a subagent's steps. */
	parent_tool_use_id: z.optional(z.nullable(z.string())),
});

const Begun = z.looseObject({
	response: z.looseObject({
		subtype: z.literal('success'),
		request_id: z.string(),
		response: z.optional(
			z.looseObject({
				commands: z.catch(
					z._default(
						z.array(z.looseObject({ name: z.string(), description: z._default(z.string(), '') })),
						[],
					),
					[],
				),
			}),
		),
	}),
});
const Refused = z.looseObject({
	response: z.looseObject({ subtype: z.literal('error'), request_id: z.string(), error: z.string() }),
});
const Request = z.looseObject({ request_id: z.string(), request: z.looseObject({ subtype: z.string() }) });
const Cancelled = z.looseObject({ request_id: z.string() });

/** `can_use_tool`. */
const CanUseTool = z.looseObject({
	tool_name: z.string(),
	input: z.unknown(),
	tool_use_id: z.string(),
	permission_suggestions: z.optional(z.array(z.unknown())),
	agent_id: z.optional(z.string()),
});
export type CanUseTool = z.infer<typeof CanUseTool>;

const Delta = z.looseObject({
	event: z.looseObject({ delta: z.looseObject({ type: z.literal('text_delta'), text: z.string() }) }),
});
const BlockEnd = z.looseObject({ event: z.looseObject({ type: z.literal('content_block_stop') }) });

const count = () => z._default(z.number(), 0);
const Said = z.looseObject({
	message: z.looseObject({
		model: z.optional(z.string()),
		content: z.array(
			z.looseObject({
				type: z.string(),
				text: z.optional(z.string()),
				id: z.optional(z.string()),
				name: z.optional(z.string()),
				input: z.optional(z.unknown()),
			}),
		),
		usage: z.optional(
			z.looseObject({
				input_tokens: count(),
				output_tokens: count(),
				cache_read_input_tokens: count(),
				cache_creation_input_tokens: count(),
			}),
		),
	}),
	/** Set on the CLI's own message about a failed request, which the result says again. */
	error: z.optional(z.string()),
});
const Results = z.looseObject({
	message: z.looseObject({
		content: z.array(
			z.looseObject({
				type: z.string(),
				tool_use_id: z.optional(z.string()),
				is_error: z.optional(z.boolean()),
			}),
		),
	}),
});
const Replay = z.looseObject({ isReplay: z.literal(true), uuid: z.string() });

const Retry = z.looseObject({ error: z._default(z.string(), 'error'), retry_delay_ms: count() });
const Result = z.looseObject({
	is_error: z.boolean(),
	result: z.optional(z.string()),
	errors: z.optional(z.array(z.string())),
	terminal_reason: z.optional(z.string()),
	stop_reason: z.optional(z.nullable(z.string())),
	total_cost_usd: z.optional(z.number()),
	modelUsage: z.optional(z.record(z.string(), z.looseObject({ contextWindow: z.optional(z.number()) }))),
});

/** The CLI's own words in place of a model's. */
const SYNTHETIC = '<synthetic>';

type AskedOf = (id: string, session: string, asked: CanUseTool) => StdioLine;

/** Reads what one process of the CLI prints. @param begin the id of the request that begins */
export function talkReader(begin: string, askedOf: AskedOf): (text: string) => readonly StdioLine[] | undefined {
	let session = '';
	/** Tokens of the last request of the model. */
	let used = 0;
	/** A text is being told word by word. */
	let isTelling = false;
	const read = (text: string): readonly StdioLine[] | undefined => {
		const value = valueOf(text);
		if (!isObject(value)) return undefined;
		const { data: line } = Line.safeParse(value);
		if (!line) return [];
		if (line.session_id === undefined || line.session_id === session) return linesOf(line);
		session = line.session_id;
		return [{ is: 'session', session }, ...linesOf(line)];
	};
	const linesOf = (line: z.infer<typeof Line>): readonly StdioLine[] => {
		if (line.parent_tool_use_id) return [];
		switch (line.subtype === undefined ? line.type : `${line.type}/${line.subtype}`) {
			case 'system/init':
				return [{ is: 'turn' }];
			case 'system/api_retry': {
				const { data } = Retry.safeParse(line);
				return data ? [{ is: 'note', text: `${data.error}; the CLI tries again` }] : [];
			}
			case 'conversation_reset':
				return [{ is: 'note', text: 'a new conversation' }];
			case 'stream_event':
				return streamed(line);
			case 'assistant':
				return said(line);
			case 'user':
				return results(line);
			case 'control_response':
				return responded(line);
			case 'control_request': {
				const { data } = Request.safeParse(line);
				const asked =
					data?.request.subtype === 'can_use_tool' ? CanUseTool.safeParse(data.request).data : undefined;
				const question = data && asked && askedOf(data.request_id, session, asked);
				return question ? [question] : data ? [{ is: 'unknown', id: data.request_id }] : [];
			}
			case 'control_cancel_request': {
				const { data } = Cancelled.safeParse(line);
				return data ? [{ is: 'withdrawn', id: data.request_id }] : [];
			}
			default:
				return line.type === 'result' ? over(line) : [];
		}
	};
	const responded = (line: object): StdioLine[] => {
		const { data: refused } = Refused.safeParse(line);
		if (refused?.response.request_id === begin) return [{ is: 'failed', reason: refused.response.error }];
		const { data } = Begun.safeParse(line);
		if (data?.response.request_id !== begin) return [];
		const availableCommands = data.response.response?.commands ?? [];
		return [{ is: 'begun' }, ...updates({ sessionUpdate: 'available_commands_update', availableCommands })];
	};
	const streamed = (line: object): StdioLine[] => {
		const { data } = Delta.safeParse(line);
		if (data) {
			isTelling = true;
			return updates(words(data.event.delta.text));
		}
		if (!isTelling || !BlockEnd.safeParse(line).success) return [];
		isTelling = false;
		return updates(words('\n'));
	};
	const said = (line: object): StdioLine[] => {
		const { data } = Said.safeParse(line);
		if (!data || data.error !== undefined) return [];
		const { model, content, usage } = data.message;
		const isOwn = model === SYNTHETIC;
		if (usage && !isOwn)
			used =
				usage.input_tokens +
				usage.output_tokens +
				usage.cache_read_input_tokens +
				usage.cache_creation_input_tokens;
		return content.flatMap(({ type, text, id, name, input }) => {
			// A model's own have come word by word.
			if (type === 'text' && isOwn) return updates(words(`${text ?? ''}\n`));
			if (type !== 'tool_use' || id === undefined || name === undefined) return [];
			return updates({
				sessionUpdate: 'tool_call',
				toolCallId: id,
				title: name,
				status: 'in_progress',
				rawInput: input,
				content: changesIn(input),
			});
		});
	};
	const over = (line: object): StdioLine[] => {
		const { data } = Result.safeParse(line);
		if (!data) return [];
		const { total_cost_usd: amount, terminal_reason = '', stop_reason } = data;
		const sizes = Object.values(data.modelUsage ?? {}).flatMap(each => each.contextWindow ?? []);
		const usage =
			used > 0 && sizes.length > 0
				? updates({
						sessionUpdate: 'usage_update',
						used,
						size: Math.max(...sizes),
						...(amount !== undefined && { cost: { amount, currency: 'USD' } }),
					})
				: [];
		// Only `is_error` tells success, and a turn that was broken off has it, too.
		if (terminal_reason.startsWith('aborted')) return [...usage, { is: 'over', stopped: 'cancelled' }];
		if (data.is_error) {
			const reason = data.result || data.errors?.join('\n') || terminal_reason || 'The turn has failed.';
			return [...usage, { is: 'failed', reason }];
		}
		return [...usage, { is: 'over', stopped: stop_reason === 'refusal' ? 'refusal' : 'end_turn' }];
	};
	return read;
}

function results(line: object): StdioLine[] {
	const { data: replay } = Replay.safeParse(line);
	if (replay) return [{ is: 'read', id: replay.uuid }];
	const { data } = Results.safeParse(line);
	return (data?.message.content ?? []).flatMap(({ type, tool_use_id: toolCallId, is_error }) => {
		if (type !== 'tool_result' || toolCallId === undefined) return [];
		return updates({ sessionUpdate: 'tool_call_update', toolCallId, status: is_error ? 'failed' : 'completed' });
	});
}

function words(text: string): TalkUpdate {
	return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}

function updates(update: TalkUpdate): StdioLine[] {
	return [{ is: 'update', update }];
}

/** What a tool would change in a file, by its input. */
export function changesIn(input: unknown): { type: 'diff'; path: string; oldText: string | null; newText: string }[] {
	const path = textIn(input, 'file_path');
	const newText = textIn(input, 'new_string') ?? textIn(input, 'content');
	if (path === undefined || newText === undefined || !isObject(input)) return [];
	return [{ type: 'diff', path, oldText: textIn(input, 'old_string') ?? null, newText }];
}
