import { createConnection, type Socket } from 'node:net';
import * as z from 'zod/mini';
import type { JobLook } from './jobLook.ts';
import { LONGEST_PAUSE_MS } from './lookRounds.ts';

/** Limit of an answer, in characters. */
const LONGEST_LINE = 16 * 1024 * 1024;

const Line = z.object({
	/** Absent if the call of whoever leads has failed. */
	looked: z.optional(
		z.object({ answer: z.unknown(), pauseMs: z.number().check(z.nonnegative(), z.maximum(LONGEST_PAUSE_MS * 2)) }),
	),
});
type Line = z.infer<typeof Line>;

/**
 * The process that leads, as another one sees it. The connection stays from look to look: making one took half of the time that a look takes
 * here. It keeps no process alive that asks nothing.
 */
export class Leader {
	private connection: Socket | undefined;
	private text = '';
	private answer: ((line: Line | undefined) => void) | undefined;

	/**
	 * @param stamp of the socket, when it was looked for; empty if there was none
	 * @param hungMs it answers in less
	 */
	constructor(
		readonly socket: string,
		readonly stamp: string,
		private readonly hungMs: number,
	) {}

	/**
	 * To be called again only once it has answered.
	 * @param signal ends the connection
	 * @returns `undefined` if nobody answers there, or no more
	 */
	async ask(job: JobLook, signal?: AbortSignal): Promise<Line | undefined> {
		if (this.stamp === '' || signal?.aborted) return undefined;
		this.connection ??= this.connect();
		const { connection } = this;
		if (connection.destroyed) return undefined;
		const end = () => connection.destroy();
		signal?.addEventListener('abort', end);
		connection.ref().setTimeout(this.hungMs);
		connection.write(`${JSON.stringify(job)}\n`);
		const line = await new Promise<Line | undefined>(resolve => {
			this.answer = resolve;
		});
		signal?.removeEventListener('abort', end);
		connection.unref().setTimeout(0);
		return line;
	}

	close(): void {
		this.connection?.destroy();
	}

	private connect(): Socket {
		const connection = createConnection({ path: this.socket });
		connection.on('timeout', () => connection.destroy());
		connection.setEncoding('utf8').on('data', (part: string) => {
			this.text += part;
			if (this.text.length > LONGEST_LINE) connection.destroy();
			else if (this.text.endsWith('\n')) this.settle();
		});
		connection.on('error', () => undefined); // it closes, too
		return connection.once('close', () => this.settle());
	}

	private settle(): void {
		this.answer?.(lineIn(this.text));
		this.text = '';
	}
}

/** Another program may listen there: what makes no sense is no answer. Nor is a part of one. */
function lineIn(text: string): Line | undefined {
	try {
		return Line.parse(JSON.parse(text));
	} catch {
		return undefined;
	}
}
