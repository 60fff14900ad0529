import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { HANG_MS } from '../support/eventually.ts';
import { anthropic } from './anthropic.ts';
import type { Turn } from './conversation.ts';
import { PROMPT_TOKENS, type BoundReply } from './bound.ts';
import { demoReply } from './demo.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openaiChat.ts';
import { openaiResponses } from './openaiResponses.ts';
import { scriptedReply, type Reply } from './script.ts';
import { bindReply } from './tools.ts';
import { sendJson, type ModelRequest, type Wire, type WireName } from './wire.ts';

/** The question for the notes of a task: see core/memory/extraction.ts. */
const ASKS_FOR_NOTES = /You keep the notes of a software project/;

const WIRES: readonly Wire[] = [anthropic, openaiResponses, openaiChat, gemini];

/** A request for the model, as it came. Other requests (token counts, model lists) are answered but not recorded. */
export interface RecordedRequest {
	url: string;
	wire: WireName;
	/** As it came, in the wire's own form. */
	body: unknown;
	/** The conversation in it. */
	turns: Turn[];
	/** Every text in it: system prompt, tools with their descriptions, conversation, tool output. What the model could read. */
	text: string;
	/** Whether the agent offers tools. Requests for titles and summaries do not. */
	hasTools: boolean;
	/** Unix milliseconds. */
	at: number;
}

export interface ModelDouble {
	url: string;
	requests: RecordedRequest[];
	/** The first request, past or future, that `predicate` accepts. */
	waitForRequest(predicate: (request: RecordedRequest) => boolean, timeoutMs?: number): Promise<RecordedRequest>;
	/** From now on a question for the notes of a task is answered with this, whatever its digest says. */
	answerNotes(answer: Record<string, unknown>): void;
	/** From now on no reply goes to requests that `predicate` accepts as they come, until what is returned is called. */
	hold(predicate: (request: RecordedRequest) => boolean): () => void;
	close(): Promise<void>;
}

export interface ModelDoubleOptions {
	port?: number;
	/** What happens without a script: `demo` works through a small plan, `quiet` says one sentence. Default `quiet`. */
	unscripted?: 'demo' | 'quiet' | ((turns: readonly Turn[]) => Reply);
}

/**
 * A model on loopback that speaks four model APIs on one port (Anthropic messages, OpenAI responses and chat completions,
 * Gemini) and does what the conversation's newest script says:
 * `[[sh:command]]` `[[par:a||b]]` `[[write:file|content]]` `[[read:file]]` `[[tool:Name|json]]` `[[text:words]]`
 * `[[slow:ms:words]]` `[[wait:ms]]` `[[err:status]]`, one step per reply. `((lat:ms))` anywhere delays every reply. `[[esc:command]]`
 * is a shell command for which the model itself asks for permission, where the CLI leaves that to it.
 */
export async function startModelDouble(options: ModelDoubleOptions = {}): Promise<ModelDouble> {
	const requests: RecordedRequest[] = [];
	const listeners = new Set<(request: RecordedRequest) => void>();
	const holds = new Set<{ predicate(request: RecordedRequest): boolean; released: Promise<void> }>();
	let notes: Record<string, unknown> | undefined;
	const { unscripted: wanted = 'quiet' } = options;
	const plans = { demo: demoReply, quiet: () => ({ text: 'Nothing scripted.' }) };
	const unscripted = typeof wanted === 'function' ? wanted : plans[wanted];

	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const raw = await text(request);
		const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1');
		if (pathname.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 10 });
		if (pathname.endsWith(':countTokens')) return sendJson(response, 200, { totalTokens: 10 });
		if (pathname.endsWith('/models'))
			return sendJson(response, 200, { object: 'list', data: [], has_more: false, models: [] });
		const body: unknown = raw === '' ? undefined : JSON.parse(raw);
		for (const wire of WIRES) {
			const read = wire.read(pathname, body);
			if (read) return answerOn(wire, read, { url: pathname, body }, response);
		}
		return sendJson(response, 404, anthropic.errorBody(404, pathname));
	}

	async function answerOn(
		wire: Wire,
		request: ModelRequest,
		{ url, body }: { url: string; body: unknown },
		response: ServerResponse,
	): Promise<void> {
		const { turns, tools } = request;
		const hasTools = tools.length > 0;
		const recorded = { url, wire: wire.name, body, turns, text: readableText(request), hasTools, at: Date.now() };
		requests.push(recorded);
		for (const listener of listeners) listener(recorded);
		if (notes && ASKS_FOR_NOTES.test(recorded.text)) return wire.send(response, request, noted(notes, request));
		if (!hasTools)
			return wire.send(response, request, {
				text: 'A short title',
				calls: [],
				slowMs: 0,
				promptTokens: PROMPT_TOKENS,
			});
		await Promise.all([...holds].filter(hold => hold.predicate(recorded)).map(hold => hold.released));
		await sleep(latencyIn(recorded.text));
		const reply: Reply = scriptedReply(turns) ?? unscripted(turns);
		await sleep(reply.delayMs ?? 0);
		if (reply.error !== undefined) {
			const message = `The double was asked to answer ${reply.error}`;
			return sendJson(response, reply.error, wire.errorBody(reply.error, message));
		}
		return wire.send(response, request, bindReply(reply, tools));
	}

	const server = createServer((request, response) => {
		answer(request, response).catch((error: unknown) => {
			console.error('model double:', error);
			if (!response.headersSent) sendJson(response, 400, anthropic.errorBody(400, String(error)));
			else response.destroy();
		});
	});
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(options.port ?? 0, '127.0.0.1', resolve);
	});
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The model double has no port.');

	return {
		url: `http://127.0.0.1:${address.port}`,
		requests,
		waitForRequest: (predicate, timeoutMs = HANG_MS) => {
			const past = requests.find(predicate);
			if (past) return Promise.resolve(past);
			let stop = (): void => undefined;
			return new Promise<RecordedRequest>((resolve, reject) => {
				const listener = (request: RecordedRequest) => predicate(request) && resolve(request);
				const timer = setTimeout(() => {
					const ends = requests.map(request => request.text.slice(-300)).join('\n---\n');
					reject(
						new Error(
							`No such request to the model in ${timeoutMs} ms. Ends of the ${requests.length} seen:\n${ends}`,
						),
					);
				}, timeoutMs);
				listeners.add(listener);
				stop = () => {
					clearTimeout(timer);
					listeners.delete(listener);
				};
			}).finally(() => stop());
		},
		answerNotes: answer => (notes = answer),
		hold: predicate => {
			let release = (): void => undefined;
			const released = new Promise<void>(resolve => (release = resolve));
			const hold = { predicate, released };
			holds.add(hold);
			return () => {
				holds.delete(hold);
				release();
			};
		},
		close: () =>
			new Promise(resolve => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** By the tool that Claude Code offers for an answer, else as text. */
function noted(answer: Record<string, unknown>, { tools }: ModelRequest): BoundReply {
	const hasTool = tools.some(({ name }) => name === 'StructuredOutput');
	const call = { kind: 'tool' as const, name: 'StructuredOutput', input: answer };
	return bindReply(hasTool ? { calls: [call] } : { text: JSON.stringify(answer) }, tools);
}

function readableText({ instructions, tools, turns }: ModelRequest): string {
	return [
		instructions,
		...tools.map(tool => `${tool.name}: ${tool.description}`),
		...turns.flatMap(turn => [turn.text, turn.toolOutput]),
	].join('\n');
}

/** The newest wish counts. */
function latencyIn(words: string): number {
	return Number([...words.matchAll(/\(\(lat:(\d+)\)\)/g)].at(-1)?.[1] ?? 0);
}
