import { rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import * as z from 'zod/mini';
import { look, stampOf } from '../base/look.ts';
import { holdingLock } from '../core/files/holdingLock.ts';
import { JobLook, type JobAnswers } from './jobLook.ts';
import { LONGEST_PAUSE_MS, LookRounds, type Looked } from './lookRounds.ts';

/** One that leads answers in less, in milliseconds: the call that is under way, and the next one, with a step's limit each. */
const HUNG_MS = 130_000;
/** Of a request and of an answer, in characters. */
const [LONGEST_REQUEST, LONGEST_LINE] = [1024 * 1024, 16 * 1024 * 1024];
/** So often somebody else may have become or ceased to be the one that leads, before a process looks by itself. */
const TRIES = 5;

const Line = z.object({
	/** Absent if the call of whoever leads has failed. */
	looked: z.optional(
		z.object({ answer: z.unknown(), pauseMs: z.number().check(z.nonnegative(), z.maximum(LONGEST_PAUSE_MS * 2)) }),
	),
});
type Line = z.infer<typeof Line>;

/**
 * Looks at jobs of one machine, together with the other processes here that watch one there. One of them listens on a socket, and calls the
 * machine for all. The system tells the others at once when it is gone, however it ended; one of them then leads, and all ask again. A look
 * may be repeated, so two that lead cost a call more and do no harm.
 *
 * A failure counts only for the process whose call it was: another one may have a key that it lacks. So it leads no more, and
 * each of the others calls by itself.
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
		this.rounds = new LookRounds(everyMs, async jobs => {
			try {
				return await lookAtAll(jobs);
			} catch (error) {
				this.leadNoMore();
				throw error;
			}
		});
	}

	/**
	 * @param signal ends the wait for another process: then this one looks by itself
	 * @throws NancyError as this process's own call of the machine does
	 */
	async look(job: JobLook, signal?: AbortSignal): Promise<unknown> {
		const { answer, pauseMs } = await this.looked(job, signal);
		this.pauseMs = pauseMs;
		return answer;
	}

	/** Leaves the others to themselves. */
	close(): void {
		this.leadNoMore();
		for (const connection of this.connections) connection.destroy();
	}

	/** Those who have asked still get their line. */
	private leadNoMore(): void {
		this.server?.close();
		this.server = undefined;
	}

	private async looked(job: JobLook, signal: AbortSignal | undefined): Promise<Looked> {
		const socket = this.server ? undefined : this.socket();
		for (let tries = 0; socket !== undefined && !this.server && tries < TRIES; tries++) {
			const found = stampOf(await look(socket));
			const line = found === '' ? undefined : await this.askLeader(socket, job, signal);
			if (line?.looked) return line.looked;
			// One that answers keeps its place, as does one that was not waited for.
			if (line || signal?.aborted) break;
			// On a full disk, or where the folder is gone, nobody can.
			await this.lead(socket, found).catch(() => undefined);
		}
		return this.rounds.look(job);
	}

	/** @returns `undefined` if nobody answers there */
	private askLeader(socket: string, job: JobLook, signal: AbortSignal | undefined): Promise<Line | undefined> {
		return new Promise(resolve => {
			let text = '';
			const connection = createConnection({ path: socket, signal });
			connection.setTimeout(this.hungMs, () => connection.destroy());
			connection.once('connect', () => connection.write(`${JSON.stringify(job)}\n`));
			connection.setEncoding('utf8').on('data', (part: string) => {
				text += part;
				if (text.length > LONGEST_LINE) connection.destroy();
			});
			connection.on('error', () => undefined); // it closes, too
			connection.once('close', () => resolve(lineIn(text)));
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
		const looked = await Promise.resolve()
			.then(() => this.rounds.look(JobLook.parse(JSON.parse(text))))
			.catch(() => undefined);
		connection.end(JSON.stringify({ looked }));
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
