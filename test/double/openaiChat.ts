import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { agentTurn, modelTurn, type Turn } from './conversation.ts';
import { offeredTool } from './tools.ts';
import { sendJson, startEvents, trickle, type ModelRequest, type Wire } from './wire.ts';
import type { BoundReply } from './bound.ts';

const Part = z.looseObject({ text: z.optional(z.string()) });
const Content = z.optional(z.nullable(z.union([z.string(), z.array(Part)])));
type Content = z.infer<typeof Content>;
const Tool = z.looseObject({
	function: z.looseObject({
		name: z.string(),
		description: z.optional(z.string()),
		parameters: z.optional(z.unknown()),
	}),
});

/** The part of a chat completion request that the double reads. */
const ChatRequest = z.looseObject({
	model: z.string(),
	messages: z.array(z.looseObject({ role: z.string(), content: Content })),
	tools: z.optional(z.array(Tool)),
	stream: z.optional(z.boolean()),
});

const usageOf = ({ promptTokens }: BoundReply) => ({
	prompt_tokens: promptTokens,
	completion_tokens: 20,
	total_tokens: promptTokens + 20,
});

/** OpenAI chat completions: opencode with a provider of the user's own, and Qwen Code. */
export const openaiChat: Wire = {
	name: 'openai-chat',
	read: (pathname, body) => {
		if (!pathname.endsWith('/chat/completions')) return undefined;
		const { model, messages, tools = [], stream = false } = ChatRequest.parse(body);
		// What the CLI puts in front is its own; a system message further on belongs to the conversation.
		const begins = messages.findIndex(message => message.role !== 'system');
		const front = begins < 0 ? messages : messages.slice(0, begins);
		return {
			model,
			turns: messages.slice(front.length).map(({ role, content }) => turnOf(role, flatten(content))),
			instructions: front.map(message => flatten(message.content)).join('\n'),
			tools: tools.map(({ function: offered }) =>
				offeredTool(offered.name, offered.description, offered.parameters),
			),
			stream,
		};
	},
	send,
	errorBody: (status, message) => ({
		error: { message, type: status >= 500 ? 'server_error' : 'invalid_request_error' },
	}),
};

function turnOf(role: string, text: string): Turn {
	if (role === 'assistant') return modelTurn([text]);
	return role === 'tool' ? agentTurn([], [text]) : agentTurn([text], []);
}

function flatten(content: Content): string {
	if (typeof content === 'string') return content;
	return (content ?? []).map(part => part.text ?? '').join('\n');
}

async function send(response: ServerResponse, request: ModelRequest, reply: BoundReply): Promise<void> {
	const calls = reply.calls.map(({ name, input }, index) => ({
		index,
		id: `call_${randomUUID()}`,
		type: 'function',
		function: { name, arguments: JSON.stringify(input) },
	}));
	const finish = calls.length > 0 ? 'tool_calls' : 'stop';
	const base = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model: request.model };
	if (!request.stream) {
		const message = { role: 'assistant', content: reply.text, ...(calls.length > 0 && { tool_calls: calls }) };
		const choices = [{ index: 0, message, finish_reason: finish }];
		return sendJson(response, 200, { ...base, object: 'chat.completion', choices, usage: usageOf(reply) });
	}
	startEvents(response);
	const emit = (delta: object, finishReason: string | null, more: object = {}) => {
		const choices = [{ index: 0, delta, finish_reason: finishReason }];
		response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices, ...more })}\n\n`);
	};
	emit({ role: 'assistant', content: '' }, null);
	if (reply.text !== '') await trickle(reply.text, reply.slowMs, content => emit({ content }, null));
	if (calls.length > 0) emit({ tool_calls: calls }, null);
	emit({}, finish, { usage: usageOf(reply) });
	response.end('data: [DONE]\n\n');
}
