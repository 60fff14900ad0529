import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { look, stampOf } from '../base/look.ts';
import { sha256 } from '../base/sha256.ts';
import { holdingLock } from '../core/files/holdingLock.ts';
import { JobLook } from './jobLook.ts';
import { Leader } from './leader.ts';
import { LookRounds, type LookAtAll, type Looked } from './lookRounds.ts';
import { socketFolder } from './socketFolder.ts';

/** One that leads answers in less, in milliseconds: the call that is under way, and the next one, with a step's limit each. */
const HUNG_MS = 130_000;
/** Limit of a request, in characters. */
const LONGEST_REQUEST = 1024 * 1024;
/** So often somebody else may have become or ceased to be the one that leads, before a process looks by itself. */
const TRIES = 5;

/**
 * Where those meet who look together.
 * @param shared what they have in common
 * @returns `undefined` where no place is safe
 */
export function meetingOf(...shared: readonly unknown[]): () => string | undefined {
	const name = sha256(JSON.stringify(shared)).slice(0, 24);
	return () => {
		const folder = socketFolder();
		return folder === undefined ? undefined : join(folder, `looks-${name}`);
	};
}

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
	/** The one that was asked last. */
	private leader: Leader | undefined;
	private readonly connections = new Set<Socket>();
	private readonly rounds: LookRounds;
	/** Until the next look, as whoever leads says, in milliseconds. */
	pauseMs: number;

	/**
	 * @param socket where those meet who watch jobs of this machine by the same programs there; `undefined` where no place is safe. Each
	 * then looks by itself
	 * @param everyMs between two looks at a job that is alone
	 * @param waitMs see {@link LookRounds}
	 */
	constructor(
		private readonly socket: () => string | undefined,
		everyMs: number,
		lookAtAll: LookAtAll,
		private readonly hungMs = HUNG_MS,
		waitMs = 0,
	) {
		this.pauseMs = everyMs;
		const call: LookAtAll = async (jobs, ms) => {
			try {
				return await lookAtAll(jobs, ms);
			} catch (error) {
				this.leadNoMore();
				throw error;
			}
		};
		this.rounds = new LookRounds(everyMs, call, waitMs);
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
		this.forgetLeader();
		this.leadNoMore();
		for (const connection of this.connections) connection.destroy();
	}

	/** Those who have asked still get their line. */
	private leadNoMore(): void {
		this.server?.close();
		this.server = undefined;
	}

	private async looked(job: JobLook, signal: AbortSignal | undefined): Promise<Looked> {
		for (let tries = 0; !this.server && tries < TRIES; tries++) {
			const leader = (this.leader ??= await this.leaderNow());
			if (!leader) break;
			const line = await leader.ask(job, signal);
			if (line?.looked) return line.looked;
			this.forgetLeader();
			// One that answers keeps its place, as does one that was not waited for.
			if (line || signal?.aborted) break;
			// On a full disk, or where the folder is gone, nobody can.
			await this.lead(leader).catch(() => undefined);
		}
		return this.rounds.look(job);
	}

	private async leaderNow(): Promise<Leader | undefined> {
		const socket = this.socket();
		return socket === undefined ? undefined : new Leader(socket, stampOf(await look(socket)), this.hungMs);
	}

	private forgetLeader(): void {
		this.leader?.close();
		this.leader = undefined;
	}

	/** Takes the place of one that did not answer, unless somebody else has. */
	private async lead({ socket, stamp }: Leader): Promise<void> {
		await holdingLock(`${socket}.lock`, async () => {
			if (stampOf(await look(socket)) !== stamp) return;
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
			// Who was connected before it led no more looks for another one.
			if (text.length > LONGEST_REQUEST || !this.server) connection.destroy();
			else if (text.endsWith('\n')) {
				void this.answer(connection, text);
				text = '';
			}
		});
	}

	private async answer(connection: Socket, text: string): Promise<void> {
		const looked = await Promise.resolve()
			.then(() => this.rounds.look(JobLook.parse(JSON.parse(text))))
			.catch(() => undefined);
		const line = `${JSON.stringify({ looked })}\n`;
		if (this.server) connection.write(line);
		else connection.end(line);
	}
}
