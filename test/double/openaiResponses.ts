import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { agentTurn, modelTurn, type Turn } from './conversation.ts';
import { offeredTool, type OfferedTool } from './tools.ts';
import { sendJson, startEvents, trickle, type ModelRequest, type Wire } from './wire.ts';
import type { BoundReply } from './bound.ts';

const Part = z.looseObject({ text: z.optional(z.string()) });
const Content = z.optional(z.union([z.string(), z.array(Part)]));
const Item = z.looseObject({
	type: z.optional(z.string()),
	role: z.optional(z.string()),
	id: z.optional(z.nullable(z.string())),
	call_id: z.optional(z.string()),
	content: z.optional(z.nullable(Content)),
	output: z.optional(z.unknown()),
});
type Item = z.infer<typeof Item>;
const Tool = z.looseObject({
	type: z.string(),
	name: z.optional(z.string()),
	description: z.optional(z.string()),
	parameters: z.optional(z.unknown()),
	/** Of a namespace. */
	get tools() {
		return z.optional(z.array(Tool));
	},
});

/** The part of a Responses request that the double reads. */
const ResponsesRequest = z.looseObject({
	model: z.string(),
	instructions: z.optional(z.nullable(z.string())),
	input: z.union([z.string(), z.array(Item)]),
	tools: z.optional(z.array(Tool)),
	stream: z.optional(z.boolean()),
});

const usageOf = ({ promptTokens }: BoundReply) => ({
	input_tokens: promptTokens,
	input_tokens_details: { cached_tokens: 0 },
	output_tokens: 20,
	output_tokens_details: { reasoning_tokens: 0 },
	total_tokens: promptTokens + 20,
});

/** OpenAI responses: Codex. */
export const openaiResponses: Wire = {
	name: 'openai-responses',
	read: (pathname, body) => {
		if (!pathname.endsWith('/responses')) return undefined;
		const { model, instructions, input, tools = [], stream = false } = ResponsesRequest.parse(body);
		return {
			model,
			turns: typeof input === 'string' ? [agentTurn([input], [])] : turnsOf(input),
			instructions: instructions ?? '',
			tools: tools.flatMap(toolsOf),
			stream,
		};
	},
	send,
	errorBody: (_status, message) => ({ error: { message, type: 'server_error' } }),
};

function toolsOf({ type, name, description, parameters, tools }: z.infer<typeof Tool>): OfferedTool[] {
	if (type === 'namespace') return (tools ?? []).flatMap(toolsOf).map(tool => ({ ...tool, namespace: name }));
	return [{ ...offeredTool(name ?? type, description, parameters), isFreeform: type === 'custom' }];
}

/**
 * A reply comes back as one item for its text and one for each call, and hook contexts may stand between them: the items of
 * one reply are one turn.
 */
function turnsOf(items: readonly Item[]): Turn[] {
	const replies = new Set<string>();
	return items.flatMap(item => {
		if (item.type?.endsWith('_output')) return [agentTurn([], [flatten(item.output)])];
		const isCall = item.type?.endsWith('_call');
		if (!isCall && item.role !== 'assistant')
			return item.role === undefined ? [] : [agentTurn([flatten(item.content)], [])];
		const reply = replyOf(item.call_id ?? item.id ?? '');
		if (reply !== undefined && replies.has(reply)) return [];
		if (reply !== undefined) replies.add(reply);
		return [modelTurn([flatten(item.content)])];
	});
}

/** Ids of ours are `<kind>_<reply>_<index>`. */
function replyOf(id: string): string | undefined {
	return /^\w+?_([0-9a-f]{32})_\d+$/.exec(id)?.[1];
}

function flatten(content: unknown): string {
	if (typeof content === 'string') return content;
	const parts = z.array(Part).safeParse(content);
	if (parts.success) return parts.data.map(part => part.text ?? '').join('\n');
	return content === undefined || content === null ? '' : JSON.stringify(content);
}

type OutputItem = { type: string; id: string } & Record<string, unknown>;

async function send(response: ServerResponse, request: ModelRequest, reply: BoundReply): Promise<void> {
	const output = outputOf(reply);
	const base = {
		id: `resp_${randomUUID()}`,
		object: 'response',
		created_at: Math.floor(Date.now() / 1000),
		model: request.model,
		status: 'in_progress',
		output: [] as OutputItem[],
	};
	const whole = { ...base, status: 'completed', output, usage: usageOf(reply) };
	if (!request.stream) return sendJson(response, 200, whole);
	startEvents(response);
	const emit = (type: string, data: object) =>
		response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
	emit('response.created', { response: base });
	for (const [index, item] of output.entries()) {
		const place = { item_id: item.id, output_index: index, content_index: 0 };
		if (item.type === 'message') {
			const started = { ...item, status: 'in_progress', content: [] };
			emit('response.output_item.added', { output_index: index, item: started });
			const part = { type: 'output_text', text: '', annotations: [] };
			emit('response.content_part.added', { ...place, part });
			await trickle(reply.text, reply.slowMs, delta => emit('response.output_text.delta', { ...place, delta }));
			emit('response.output_text.done', { ...place, text: reply.text });
		} else emit('response.output_item.added', { output_index: index, item });
		emit('response.output_item.done', { output_index: index, item });
	}
	emit('response.completed', { response: whole });
	response.end();
}

function outputOf({ text, calls }: BoundReply): OutputItem[] {
	const reply = randomUUID().replaceAll('-', '');
	const content = [{ type: 'output_text', text, annotations: [] }];
	const message = { type: 'message', id: `msg_${reply}_0`, role: 'assistant', status: 'completed', content };
	const items = calls.map(({ name, input, isFreeform, namespace }, index): OutputItem => {
		const common = { call_id: `call_${reply}_${index}`, name, namespace, status: 'completed' };
		return isFreeform
			? { type: 'custom_tool_call', id: `ctc_${reply}_${index}`, ...common, input: input['input'] }
			: { type: 'function_call', id: `fc_${reply}_${index}`, ...common, arguments: JSON.stringify(input) };
	});
	return text === '' ? items : [message, ...items];
}
