import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { once } from 'node:events';
import { spawnAsAgent } from './asAgent.ts';
import { eventually } from './eventually.ts';
import type { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { join } from 'node:path';

interface Answer {
	id?: number;
	method?: string;
	params?: Record<string, unknown>;
	result?: Record<string, unknown> & { content?: { text: string }[]; isError?: boolean };
	error?: { code: number; message: string };
}

/** A client of `nancy mcp`, as an agent's CLI is one: it starts the bundled program and speaks by lines. */
export class McpClient implements AsyncDisposable {
	readonly answers: Answer[] = [];
	private readonly child;
	private readonly closed: Promise<unknown>;
	private last = 0;

	constructor(nancy: NancyCommand, { cwd, env = {} }: { cwd: string; env?: Record<string, string> }) {
		const options = { cwd, env: nancy.environment(env) };
		this.child = spawnAsAgent(join(nancy.dataFolder, 'nancy'), [process.execPath, nancy.program, 'mcp'], options);
		this.closed = once(this.child, 'close');
		this.child.stderr.resume();
		createInterface({ input: this.child.stdout }).on('line', line => this.answers.push(JSON.parse(line) as Answer));
	}

	/** @returns its id */
	send(method: string, params: object = {}): number {
		const id = ++this.last;
		this.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
		return id;
	}

	write(line: string): void {
		this.child.stdin.write(`${line}\n`);
	}

	notify(method: string, params: object = {}): void {
		this.write(JSON.stringify({ jsonrpc: '2.0', method, params }));
	}

	answer(id: number): Promise<Answer> {
		return eventually(`an answer to ${id}`, () => this.answers.find(each => each.id === id && !each.method));
	}

	request(method: string, params: object = {}): Promise<Answer> {
		return this.answer(this.send(method, params));
	}

	/** The text of a tool's answer. */
	async call(name: string, args: object = {}, meta: object = {}): Promise<string> {
		return textOf(await this.request('tools/call', { name, arguments: args, _meta: meta }));
	}

	begin(name: string, args: object = {}, meta: object = {}): number {
		return this.send('tools/call', { name, arguments: args, _meta: meta });
	}

	/** Kills the server itself, and not what has started it. */
	kill(): Promise<unknown> {
		const { pid = 0 } = this.child;
		const below = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
		process.kill(below || pid, 'SIGKILL');
		return this.closed;
	}

	/** Closes the server's input, as a client does at its end. */
	async end(): Promise<number | null> {
		this.child.stdin.end();
		await this.closed;
		return this.child.exitCode;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.end();
	}
}

export function textOf({ result, error }: Answer): string {
	return result?.content?.[0]?.text ?? error?.message ?? '';
}
