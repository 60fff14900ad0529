import { rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import * as z from 'zod/mini';
import { errorText, hasCode, NancyError } from '../base/errors.ts';
import { look, stampOf } from '../base/look.ts';
import { visibleLine } from '../base/visible.ts';
import { holdingLock } from '../core/files/holdingLock.ts';
import { JobLook, type JobAnswers } from './jobLook.ts';
import { LONGEST_PAUSE_MS, LookRounds, type Looked } from './lookRounds.ts';

/** One that leads answers in less, in milliseconds: a round that is under way, and the next one, with all their time limits. */
const HUNG_MS = 5 * 60_000;
/** Of a request and of an answer, in characters. */
const [LONGEST_REQUEST, LONGEST_LINE] = [1024 * 1024, 16 * 1024 * 1024];
/** So often somebody else may have become or ceased to be the one that leads, before a process looks by itself. */
const TRIES = 5;

const Line = z.union([
	z.object({ answer: z.unknown(), pauseMs: z.number().check(z.nonnegative(), z.maximum(LONGEST_PAUSE_MS * 2)) }),
	z.object({ failed: z.string(), isTimeout: z.boolean() }),
]);

/**
 * Looks at jobs of one machine, together with the other processes here that watch one there. One of them listens on a socket, and calls the
 * machine for all. The system tells the others at once when it is gone, however it ended; one of them then leads, and all ask again. A look
 * changes nothing there, so two that lead cost a call more and do no harm.
 */
export class LooksTogether {
	private server: Server | undefined;
	private readonly connections = new Set<Socket>();
	private readonly rounds: LookRounds;
	/** Until the next look, as whoever leads says, in milliseconds. */
	pauseMs: number;

	/**
	 * @param socket where those meet who watch jobs of this machine by the same programs there; `undefined` where no place is safe: then each
	 * looks by itself
	 * @param everyMs between two looks at a job that is alone
	 */
	constructor(
		private readonly socket: () => string | undefined,
		everyMs: number,
		lookAtAll: (jobs: readonly JobLook[]) => Promise<JobAnswers>,
		private readonly hungMs = HUNG_MS,
	) {
		this.pauseMs = everyMs;
		this.rounds = new LookRounds(everyMs, lookAtAll);
	}

	/** @throws NancyError as the call of the machine does, whoever has made it */
	async look(job: JobLook): Promise<unknown> {
		const { answer, pauseMs } = await this.looked(job);
		this.pauseMs = pauseMs;
		return answer;
	}

	/** Leaves the others to themselves. */
	close(): void {
		this.server?.close();
		for (const connection of this.connections) connection.destroy();
		this.server = undefined;
	}

	private async looked(job: JobLook): Promise<Looked> {
		const socket = this.server ? undefined : this.socket();
		for (let tries = 0; socket !== undefined && !this.server && tries < TRIES; tries++) {
			const found = stampOf(await look(socket));
			const line = found === '' ? undefined : await this.askLeader(socket, job);
			if (line) return line;
			// The place may be full, or nobody's any more.
			await this.lead(socket, found).catch(() => undefined);
		}
		return this.rounds.look(job);
	}

	/** @returns `undefined` if nobody answers there */
	private async askLeader(socket: string, job: JobLook): Promise<Looked | undefined> {
		const text = await this.lineOf(socket, `${JSON.stringify(job)}\n`);
		const line = text === undefined ? undefined : lineIn(text);
		if (line === undefined || 'answer' in line) return line;
		throw new NancyError(line.isTimeout ? 'timeout' : 'io', visibleLine(line.failed, 500));
	}

	private lineOf(socket: string, request: string): Promise<string | undefined> {
		return new Promise(resolve => {
			let text = '';
			const connection = createConnection(socket);
			connection.setTimeout(this.hungMs, () => connection.destroy());
			connection.once('connect', () => connection.write(request));
			connection.setEncoding('utf8').on('data', (part: string) => {
				text += part;
				if (text.length > LONGEST_LINE) connection.destroy();
			});
			connection.on('error', () => undefined); // it closes, too
			connection.once('close', () => resolve(text.endsWith('\n') ? text : undefined));
		});
	}

	/** Takes the place of one that did not answer, unless somebody else has. */
	private async lead(socket: string, found: string): Promise<void> {
		await holdingLock(`${socket}.lock`, async () => {
			if (stampOf(await look(socket)) !== found) return;
			await rm(socket, { force: true });
			const server = createServer(connection => this.serve(connection)).unref();
			await new Promise<void>((resolve, reject) => {
				server.once('error', reject).listen(socket, resolve);
			});
			this.server = server.on('error', () => undefined);
		});
	}

	private serve(connection: Socket): void {
		this.connections.add(connection.unref());
		let text = '';
		connection.on('error', () => undefined);
		connection.once('close', () => this.connections.delete(connection));
		connection.setEncoding('utf8').on('data', (part: string) => {
			text += part;
			if (text.length > LONGEST_REQUEST) connection.destroy();
			else if (text.endsWith('\n')) void this.answer(connection, text);
		});
	}

	private async answer(connection: Socket, text: string): Promise<void> {
		const line = await Promise.resolve()
			.then(() => this.rounds.look(JobLook.parse(JSON.parse(text))))
			.catch((error: unknown) => ({ failed: errorText(error), isTimeout: hasCode(error, 'timeout') }));
		connection.end(`${JSON.stringify(line)}\n`);
	}
}

/** Another program may listen there: what makes no sense is no answer. */
function lineIn(text: string): z.infer<typeof Line> | undefined {
	try {
		return Line.parse(JSON.parse(text));
	} catch {
		return undefined;
	}
}
