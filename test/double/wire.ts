import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Turn } from './conversation.ts';
import type { BoundReply } from './bound.ts';
import type { OfferedTool } from './tools.ts';

export type WireName = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini';

/** A request for the model's next reply, in no protocol's terms. */
export interface ModelRequest {
	model: string;
	turns: Turn[];
	/** What stands before the conversation: the system prompt. */
	instructions: string;
	tools: OfferedTool[];
	/** Whether the reply shall come as server-sent events. */
	stream: boolean;
	/** The reply must be JSON: a question of the CLI's own, such as which model to take. */
	wantsJson?: boolean;
}

/** A protocol of model APIs. All of them answer on one port; the path tells which is meant. */
export interface Wire {
	name: WireName;
	/** Undefined when the path is not this protocol's for a reply of the model. Throws on a body that it cannot read. */
	read(pathname: string, body: unknown): ModelRequest | undefined;
	send(response: ServerResponse, request: ModelRequest, reply: BoundReply): Promise<void>;
	/** The body of an error with this HTTP status. */
	errorBody(status: number, message: string): object;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end(JSON.stringify(body));
}

export function startEvents(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

/** Emits a text whole, or over `slowMs` word by word. */
export async function trickle(text: string, slowMs: number, emit: (piece: string) => void): Promise<void> {
	const words = slowMs > 0 ? (text.match(/\S+\s*/g) ?? []) : [text];
	for (const word of words) {
		emit(word);
		await sleep(slowMs / words.length);
	}
}
