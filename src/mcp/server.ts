import { failureOf } from '../operations/shared/failure.ts';
import { CallParams, CancelledParams, InitializeParams, RpcMessage, type Meta, type RpcId } from '../protocol/mcp.ts';
import { jsonSchema } from './jsonSchema.ts';
import type { ToolCaller, Tool, ToolCall } from './tool.ts';

/** Those that the CLIs ask for, oldest first: all are the same for what is here. */
const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const;
const NEWEST = '2025-11-25';

/** In UTF-16 units. A longer line ends the connection: what follows it cannot be told apart. */
const LONGEST_LINE = 1024 * 1024;
/** More at once are refused. */
const MOST_CALLS = 32;
/** How many answered calls may still turn out to be broken off. */
const MOST_ANSWERED = 100;

/** JSON-RPC's words for a failure. */
const CODES = { parse: -32700, request: -32600, method: -32601, params: -32602 } as const;

export interface Channel {
	readonly input: AsyncIterable<Uint8Array | string>;
	/** Resolves once the client can read it. False if it is gone. */
	send(line: string): Promise<boolean>;
}

export interface ServerFacts {
	readonly version: string;
	readonly instructions: string;
	readonly tools: readonly Tool[];
	/** @param meta what the client says beside a call */
	callerOf(meta: Meta): Promise<ToolCaller>;
}

/** One client of the Model Context Protocol, spoken to by lines. */
export class McpServer {
	private readonly running = new Map<RpcId, AbortController>();
	private readonly calls = new Set<Promise<void>>();
	private readonly dropped = new Map<RpcId, () => Promise<unknown>>();

	constructor(
		private readonly channel: Channel,
		private readonly facts: ServerFacts,
	) {}

	/** Serves until the client closes its end, or the signal comes. Then no call runs any more, and what was claimed is back. */
	async serve(signal: AbortSignal): Promise<void> {
		const stopped = new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()));
		await Promise.race([this.readAll(), stopped]);
		for (const call of this.running.values()) call.abort();
		await Promise.all(this.calls);
	}

	private async readAll(): Promise<void> {
		const decoder = new TextDecoder();
		let rest = '';
		for await (const chunk of this.channel.input) {
			rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
			const lines = rest.split('\n');
			rest = lines.pop() ?? '';
			for (const line of lines) if (line.trim() !== '') await this.take(line);
			if (rest.length <= LONGEST_LINE) continue;
			await this.fail(null, CODES.parse, 'the line is too long');
			return;
		}
	}

	private async take(line: string): Promise<void> {
		let value: unknown;
		try {
			value = JSON.parse(line);
		} catch {
			return this.fail(null, CODES.parse, 'no JSON');
		}
		const { success, data } = RpcMessage.safeParse(value);
		if (!success) return this.fail(null, CODES.request, 'no JSON-RPC 2.0 message');
		const { id, method, params } = data;
		if (method === undefined) return;
		if (id === undefined) return this.hear(method, params);
		if (method === 'tools/call') return this.begin(id, params);
		await this.answer(id, method, params);
	}

	private async answer(id: RpcId, method: string, params: unknown): Promise<void> {
		const { version, instructions, tools } = this.facts;
		switch (method) {
			case 'initialize': {
				const asked = InitializeParams.safeParse(params).data?.protocolVersion;
				return this.result(id, {
					protocolVersion: VERSIONS.find(each => each === asked) ?? NEWEST,
					capabilities: { tools: {} },
					serverInfo: { name: 'nancy', title: 'Nancy', version },
					instructions,
				});
			}
			case 'ping':
				return this.result(id, {});
			case 'tools/list':
				return this.result(id, { tools: tools.map(described) });
			default:
				return this.fail(id, CODES.method, `there is no method ${method}`);
		}
	}

	private async hear(method: string, params: unknown): Promise<void> {
		if (method !== 'notifications/cancelled') return;
		const cancelled = CancelledParams.safeParse(params);
		if (!cancelled.success) return;
		const { requestId } = cancelled.data;
		this.running.get(requestId)?.abort();
		const act = this.dropped.get(requestId);
		this.dropped.delete(requestId);
		// Nobody waits for it, and the next hook finds the messages.
		await act?.().catch(() => undefined);
	}

	private async begin(id: RpcId, params: unknown): Promise<void> {
		const parsed = CallParams.safeParse(params);
		if (!parsed.success) return this.fail(id, CODES.params, 'a call needs a name and arguments');
		const { name, arguments: given, _meta: meta } = parsed.data;
		const tool = this.facts.tools.find(each => each.name === name);
		if (!tool) return this.fail(id, CODES.params, `there is no tool ${name}`);
		if (this.running.has(id)) return this.fail(id, CODES.request, 'that id is in use');
		if (this.running.size >= MOST_CALLS) return this.fail(id, CODES.request, 'too many calls at once');
		const controller = new AbortController();
		this.running.set(id, controller);
		const call = this.call(id, tool, given, meta, controller.signal).finally(() => {
			this.running.delete(id);
			this.calls.delete(call);
		});
		this.calls.add(call);
	}

	private async call(id: RpcId, tool: Tool, given: unknown, meta: Meta, signal: AbortSignal): Promise<void> {
		try {
			const text = await tool.run(given, await this.facts.callerOf(meta), this.toolCall(id, meta, signal));
			if (text !== undefined && !signal.aborted) await this.result(id, content(text));
		} catch (error) {
			if (!signal.aborted) await this.result(id, { ...content(String(failureOf(error).message)), isError: true });
		}
	}

	private toolCall(id: RpcId, { progressToken }: Meta, signal: AbortSignal): ToolCall {
		let progress = 0;
		return {
			signal,
			reply: async text => !signal.aborted && this.send({ id, result: content(text) }),
			ifDropped: async act => {
				if (signal.aborted) return void (await act());
				this.dropped.set(id, act);
				for (const oldest of this.dropped.keys())
					if (this.dropped.size > MOST_ANSWERED) this.dropped.delete(oldest);
			},
			progress:
				progressToken === undefined
					? undefined
					: message => {
							const params = { progressToken, progress: ++progress, message };
							void this.send({ method: 'notifications/progress', params });
						},
		};
	}

	private async result(id: RpcId, result: object): Promise<void> {
		await this.send({ id, result });
	}

	private async fail(id: RpcId | null, code: number, message: string): Promise<void> {
		await this.send({ id, error: { code, message } });
	}

	private send(message: object): Promise<boolean> {
		return this.channel.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
	}
}

function described({ name, title, description, input, annotations }: Tool) {
	return { name, title, description, inputSchema: jsonSchema(input), annotations: { title, ...annotations } };
}

function content(text: string) {
	return { content: [{ type: 'text', text }] };
}
