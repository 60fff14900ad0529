import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { agentTurn, modelTurn, type Turn } from './conversation.ts';
import { offeredTool } from './tools.ts';
import { sendJson, startEvents, trickle, type ModelRequest, type Wire } from './wire.ts';
import type { BoundReply } from './bound.ts';

const Block = z.looseObject({
	type: z.string(),
	text: z.optional(z.string()),
	content: z.optional(z.unknown()),
});
const Content = z.union([z.string(), z.array(Block)]);
const Tool = z.looseObject({
	name: z.optional(z.string()),
	description: z.optional(z.string()),
	input_schema: z.optional(z.unknown()),
});

/** The part of a Messages request that the double reads. */
const MessagesRequest = z.looseObject({
	model: z.string(),
	system: z.optional(Content),
	messages: z.array(z.looseObject({ role: z.string(), content: Content })),
	tools: z.optional(z.array(Tool)),
	stream: z.optional(z.boolean()),
});

/** Anthropic Messages: Claude Code, and Copilot CLI with a provider of the user's own. */
export const anthropic: Wire = {
	name: 'anthropic',
	read: (pathname, body) => {
		if (!pathname.endsWith('/messages')) return undefined;
		const { model, system = '', messages, tools = [], stream = false } = MessagesRequest.parse(body);
		return {
			model,
			turns: messages.map(({ role, content }) => turnOf(role, content)),
			instructions: flatten(system),
			tools: tools.map(tool => offeredTool(tool.name ?? '', tool.description, tool.input_schema)),
			stream,
		};
	},
	send,
	errorBody: (_status, message) => ({ type: 'error', error: { type: 'api_error', message } }),
};

function turnOf(role: string, content: z.infer<typeof Content>): Turn {
	const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
	const texts = blocks.filter(block => block.type === 'text').map(block => block.text ?? '');
	if (role === 'assistant') return modelTurn(texts);
	const results = blocks.filter(block => block.type === 'tool_result').map(block => flatten(block.content));
	return agentTurn(texts, results);
}

function flatten(content: unknown): string {
	if (typeof content === 'string') return content;
	const blocks = z.array(Block).safeParse(content);
	return blocks.success ? blocks.data.map(block => block.text ?? '').join('\n') : '';
}

interface ToolUse {
	type: 'tool_use';
	id: string;
	name: string;
	input: Record<string, unknown>;
}
interface Text {
	type: 'text';
	text: string;
}

async function send(response: ServerResponse, request: ModelRequest, reply: BoundReply): Promise<void> {
	const content = contentOf(reply);
	const stopReason = reply.calls.length > 0 ? 'tool_use' : 'end_turn';
	const message = {
		id: `msg_${randomUUID()}`,
		type: 'message',
		role: 'assistant',
		model: request.model,
		content: [],
		stop_reason: null,
		stop_sequence: null,
		usage: { input_tokens: reply.promptTokens, output_tokens: 1 },
	};
	if (!request.stream) {
		const usage = { input_tokens: reply.promptTokens, output_tokens: 20 };
		return sendJson(response, 200, { ...message, content, stop_reason: stopReason, usage });
	}
	startEvents(response);
	const emit = (type: string, data: object) =>
		response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
	emit('message_start', { message });
	for (const [index, block] of content.entries()) await streamBlock(emit, index, block, reply.slowMs);
	const delta = { stop_reason: stopReason, stop_sequence: null };
	emit('message_delta', { delta, usage: { output_tokens: 20 } });
	emit('message_stop', {});
	response.end();
}

function contentOf({ text, calls }: BoundReply): (Text | ToolUse)[] {
	const texts: Text[] = text === '' ? [] : [{ type: 'text', text }];
	const uses = calls.map(({ name, input }): ToolUse => {
		return { type: 'tool_use', id: `toolu_${randomUUID().replaceAll('-', '')}`, name, input };
	});
	return [...texts, ...uses];
}

type Emit = (type: string, data: object) => void;

async function streamBlock(emit: Emit, index: number, block: Text | ToolUse, slowMs: number): Promise<void> {
	if (block.type === 'tool_use') {
		emit('content_block_start', { index, content_block: { ...block, input: {} } });
		const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
		emit('content_block_delta', { index, delta });
	} else {
		emit('content_block_start', { index, content_block: { type: 'text', text: '' } });
		await trickle(block.text, slowMs, text =>
			emit('content_block_delta', { index, delta: { type: 'text_delta', text } }),
		);
	}
	emit('content_block_stop', { index });
}
