import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessagesRequest } from './conversation.ts';
import type { Reply, ScriptedCall } from './script.ts';

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

/** Sends a reply as the Anthropic Messages API does, streamed or whole. */
export async function sendReply(response: ServerResponse, request: MessagesRequest, reply: Reply): Promise<void> {
	await sleep(reply.delayMs ?? 0);
	if (reply.error !== undefined) {
		return sendJson(response, reply.error, {
			type: 'error',
			error: { type: 'api_error', message: `The double was asked to answer ${reply.error}` },
		});
	}
	const content = contentOf(request, reply);
	const stopReason = content.some(block => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
	const message = {
		id: `msg_${randomUUID()}`,
		type: 'message',
		role: 'assistant',
		model: request.model,
		content: [],
		stop_reason: null,
		stop_sequence: null,
		usage: { input_tokens: 100, output_tokens: 1 },
	};
	if (request.stream !== true) {
		const usage = { input_tokens: 100, output_tokens: 20 };
		return sendJson(response, 200, { ...message, content, stop_reason: stopReason, usage });
	}
	response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
	const emit = (type: string, data: object) =>
		response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
	emit('message_start', { message });
	for (const [index, block] of content.entries()) await streamBlock(emit, index, block, reply.slowMs ?? 0);
	const delta = { stop_reason: stopReason, stop_sequence: null };
	emit('message_delta', { delta, usage: { output_tokens: 20 } });
	emit('message_stop', {});
	response.end();
}

type Emit = (type: string, data: object) => void;

async function streamBlock(emit: Emit, index: number, block: Text | ToolUse, slowMs: number): Promise<void> {
	if (block.type === 'tool_use') {
		emit('content_block_start', { index, content_block: { ...block, input: {} } });
		const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
		emit('content_block_delta', { index, delta });
	} else {
		emit('content_block_start', { index, content_block: { type: 'text', text: '' } });
		const words = slowMs > 0 ? (block.text.match(/\S+\s*/g) ?? []) : [block.text];
		for (const text of words) {
			emit('content_block_delta', { index, delta: { type: 'text_delta', text } });
			await sleep(slowMs / words.length);
		}
	}
	emit('content_block_stop', { index });
}

function contentOf(request: MessagesRequest, reply: Reply): (Text | ToolUse)[] {
	const offered = (request.tools ?? []).flatMap(tool => tool.name ?? []);
	const calls = (reply.calls ?? []).map(call => toolUse(call, offered));
	const blocks = reply.text === undefined ? calls : [textBlock(reply.text), ...calls];
	return blocks.length > 0 ? blocks : [textBlock('Done.')];
}

function textBlock(text: string): Text {
	return { type: 'text', text };
}

function toolUse(call: ScriptedCall, offered: readonly string[]): Text | ToolUse {
	const { name, input } = bind(call);
	if (!offered.includes(name)) return textBlock(`There is no tool ${name} among ${offered.join(', ')}.`);
	return { type: 'tool_use', id: `toolu_${randomUUID().replaceAll('-', '')}`, name, input };
}

/** Claude Code's own tool names. */
function bind(call: ScriptedCall): { name: string; input: Record<string, unknown> } {
	switch (call.kind) {
		case 'shell':
			return {
				name: 'Bash',
				input: { command: call.command, description: call.description ?? `Run ${call.command}` },
			};
		case 'write':
			return { name: 'Write', input: { file_path: call.file, content: call.content } };
		case 'read':
			return { name: 'Read', input: { file_path: call.file } };
		case 'tool':
			return { name: call.name, input: call.input };
	}
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify(body));
}
