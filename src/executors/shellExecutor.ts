import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorText, hasCode, NancyError } from '../base/errors.ts';
import { fileNames } from '../base/listing.ts';
import { phrase } from '../base/phrase.ts';
import { ConnectionLost } from '../git/gitFailure.ts';
import { fetchWork, sendBase, WorkBesides, type Transport } from '../git/remoteRepository.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { MessageId } from '../protocol/names.ts';
import { Seen, TakenBack, type JobQueue, type RemoteJob, type RemoteLetter } from '../protocol/remoteJob.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { NotSubmitted, type Executor, type JobName } from './executor.ts';
import { JobAnswers, type JobLook } from './jobLook.ts';
import type { LookAtAll } from './lookRounds.ts';
import { LooksTogether, meetingOf } from './looksTogether.ts';
import { letterName } from './mailThere.ts';
import { refuseError } from './ask.ts';
import { RECEIVER } from './receiver.ts';
import type { Way } from './way.ts';

/** Between two looks at a job, in milliseconds. */
const LOOK_MS = 500;
/** The same of a cluster: all its users share the machine that is asked, and each look starts a program there. */
const CLUSTER_LOOK_MS = 3000;
/** For a step, in milliseconds. A first connection takes most of it. */
const STEP_MS = 60_000;
/** Between two tries to give a job its variables, in milliseconds: each asks the queue and starts a step in the job. */
const GIVE_MS = 15_000;
/** The folders of jobs there: see executors/there. */
const JOBS = '~/.nancy-remote/jobs';
/** For code on its way, or on its way into a commit. */
const TRANSFER_MS = 15 * 60_000;
/** The programs of a runtime that a job and its hooks call. */
export const SHIPPED = [
	'nancy.js',
	'memory.js',
	'projects.js',
	'nancy-hook',
	'due',
	'hand-over',
	'hand-over.pl',
	'node',
];

interface ShippedFile {
	name: string;
	base64: string;
	isProgram: boolean;
}

const Path = z.string().check(z.regex(/^\/[^\0\n]*$/));
const Place = z.object({ git: Path, repository: Path });
const Rescued = z.object({ isWork: z.boolean() });
const Received = z.object({ node: z.string(), isThere: z.boolean() });

/** The repository of a project, or with an id that of its job. */
type RepositoryThere = Pick<JobName, 'repository'> & Partial<Pick<JobName, 'id'>>;

/** Delegates on a machine whose shell Nancy reaches, or in the queue of a cluster that the machine submits to. */
export class ShellExecutor implements Executor {
	private readonly looks: LooksTogether;
	/** That of the last step that has not failed: its programs are there. */
	private shipping: Promise<void> | undefined;
	/** Why the variables of an agent could not be given. */
	private notGiven: { atMs: number; why: string } | undefined;
	/** Where git is there, and each repository by its name or its job's, as the last transfer that has not failed was told. */
	private readonly places = new Map<string, z.infer<typeof Place>>();

	/**
	 * @param runtime the installed one: its folder's name is its version and its hash
	 * @param asked before each submission. `queue` is where its jobs wait for a place, if the machine submits to a cluster. `variables` are
	 * for the agent there, on no disk
	 */
	constructor(
		private readonly way: Way,
		private readonly runtime: { folder: string; version: string },
		private readonly asked: {
			queue?: (() => Promise<JobQueue>) | undefined;
			variables?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
		} = {},
	) {
		const { queue } = asked;
		const everyMs = queue ? CLUSTER_LOOK_MS : LOOK_MS;
		// The programs there are named by their hash, and their folder here is one user's: others do not meet these.
		const meeting = meetingOf(way.place, runtime.folder, everyMs);
		const call: LookAtAll = (jobs, waitMs) => this.lookAtAll(jobs, waitMs);
		// A cluster's machine has enough programs to run.
		this.looks = new LooksTogether(meeting, everyMs, call, undefined, queue ? 0 : everyMs);
	}

	get pauseMs(): number {
		return this.looks.pauseMs;
	}

	async prepare(job: RemoteJob, worktree: Worktree, signal: AbortSignal): Promise<string[] | undefined> {
		// If one is missing, no code goes there.
		const variables = await this.asked.variables?.();
		await this.transfer({ repository: job.repository }, way => sendBase(worktree, job.id, way), signal);
		// A queue would keep them on its disk: its job asks for them once it has begun.
		return this.asked.queue && variables && Object.keys(variables).length > 0 ? Object.keys(variables) : undefined;
	}

	async submit(job: RemoteJob): Promise<void> {
		const queue = await this.asked.queue?.();
		let variables: Readonly<Record<string, string>> | undefined;
		try {
			variables = await this.asked.variables?.();
		} catch (error) {
			// An earlier runner may have had them.
			const { is } = Seen.parse(
				refuseError(await this.lookAt({ id: job.id, offset: 0, carried: [] }), this.way.place),
			);
			if (is === 'absent') throw new NotSubmitted('bad-usage', errorText(error));
			return;
		}
		await this.step('start', { ...job, ...(queue ? { queue } : { variables }) });
	}

	async carry({ id }: RemoteJob, letters: readonly RemoteLetter[]): Promise<void> {
		await this.step('mail', { id, letters });
	}

	async takeBack(id: DelegateId, message: MessageId): Promise<TakenBack> {
		return TakenBack.parse(await this.step('takeBack', { id, message }));
	}

	async observe(
		{ id, forwards }: RemoteJob,
		offset: number,
		carried: readonly RemoteLetter[],
		signal?: AbortSignal,
	): Promise<Seen> {
		const look = { id, offset, carried: carried.map(letterName) };
		// Before others wait for it, who give a call the time of a step.
		const answer = await this.shipped(() => this.looks.look(look, signal));
		const seen = Seen.parse(refuseError(answer, this.way.place));
		// An agent can make a pipe, and gets no others by that.
		return seen.awaitsVariables && forwards ? { ...seen, queueSays: await this.giveVariables(id, forwards) } : seen;
	}

	/** @returns why the job still waits for its variables; `undefined` once they are on their way */
	private async giveVariables(id: DelegateId, names: readonly string[]): Promise<string | undefined> {
		if (this.notGiven && Date.now() - this.notGiven.atMs < GIVE_MS) return this.notGiven.why;
		this.notGiven = undefined;
		try {
			const all = await this.asked.variables?.();
			const variables = Object.fromEntries(Object.entries(all ?? {}).filter(([name]) => names.includes(name)));
			await this.step('variables', { id, variables });
			return undefined;
		} catch (error) {
			const why = errorText(error);
			this.notGiven = { atMs: Date.now(), why };
			return why;
		}
	}

	/** The queue that its jobs are in, unless the user has named it otherwise since. Then what is there of a job says it. */
	private async queue(): Promise<JobQueue | undefined> {
		return this.asked.queue?.().catch(() => undefined);
	}

	/** One look, without the others who watch a job there. */
	async lookAt(job: JobLook): Promise<unknown> {
		return (await this.lookAtAll([job], 0)).answers[0]?.answer;
	}

	close(): void {
		this.looks.close();
	}

	async cancel({ id }: RemoteJob): Promise<void> {
		await this.step('cancel', { id, queue: await this.queue() });
	}

	async rescue({ id, repository }: JobName): Promise<boolean> {
		const input = { id, repository, queue: await this.queue() };
		return Rescued.parse(await this.step('rescue', input, TRANSFER_MS)).isWork;
	}

	collect({ id, repository }: JobName, worktree: Worktree): Promise<readonly string[]> {
		return this.transfer({ id, repository }, way => fetchWork(worktree, id, way));
	}

	place({ id }: JobName): string {
		return `${JOBS}/${id} on ${this.way.place}`;
	}

	async cleanUp({ id, repository }: JobName): Promise<void> {
		await this.step('clean', { id, repository, queue: await this.queue() });
	}

	/** Ships Nancy's own programs while something else is done. The first step tells of a failure. */
	shipEarly(): void {
		void this.shipped(() => Promise.resolve()).catch(() => undefined);
	}

	/** Nancy's own programs, once for each version. */
	private async ship(): Promise<void> {
		const { version, folder } = this.runtime;
		if ((await this.receive({ version, files: [] })).isThere) return;
		const hooks = (await fileNames(join(folder, 'hook'), '.js')).map(name => `hook/${name}`);
		const files = await Promise.all(
			[...SHIPPED, ...hooks].map(async name => {
				const file = join(folder, name);
				const [bytes, { mode }] = await Promise.all([readFile(file), stat(file)]);
				return { name, base64: bytes.toString('base64'), isProgram: (mode & 0o100) !== 0 };
			}),
		);
		await this.receive({ version, files });
	}

	private async receive(input: { version: string; files: readonly ShippedFile[] }) {
		const limit = input.files.length === 0 ? STEP_MS : TRANSFER_MS;
		const answer = await this.way.ask(['node', '-e', RECEIVER], JSON.stringify(input), limit);
		return Received.parse(refuseError(answer, this.way.place));
	}

	private async transfer<T>(
		asked: RepositoryThere,
		carry: (way: Transport) => Promise<T>,
		signal?: AbortSignal,
	): Promise<T> {
		const key = asked.id ?? asked.repository;
		const place = this.places.get(key) ?? (await this.repository(asked));
		const command: Transport['command'] = program => this.way.gitCommand(program, place);
		try {
			const carried = await carry({ command, deadlineMs: Date.now() + TRANSFER_MS, signal });
			this.places.set(key, place);
			return carried;
		} catch (error) {
			// It may be gone since, or be another one.
			const mayBeGone = this.places.delete(key) && hasCode(error, 'git') && !(error instanceof WorkBesides);
			if (mayBeGone) return this.transfer(asked, carry, signal);
			if (!hasCode(error, 'timeout')) throw error;
			// Git does not pass on why its connection was lost. If it still fails, ssh says it.
			await this.repository(asked);
			// Whatever the clock says: a machine that has slept for an hour goes on where it was.
			if (error instanceof ConnectionLost) throw error;
			throw new NancyError(
				'io',
				phrase`${this.way.place} was given ${TRANSFER_MS / 60_000} minutes for the repository, which took longer`,
			);
		}
	}

	private async lookAtAll(jobs: readonly JobLook[], waitMs: number): Promise<JobAnswers> {
		return JobAnswers.parse(await this.step('look', { jobs, waitMs }));
	}

	private async repository(asked: RepositoryThere) {
		return Place.parse(await this.step('repository', asked));
	}

	private async step(name: string, input: unknown, timeoutMs = STEP_MS): Promise<unknown> {
		const answer = await this.shipped(() => this.way.step(this.runtime.version, name, input, timeoutMs));
		return refuseError(answer, this.way.place);
	}

	/** Every step ships first what it calls: the Nancy that began the job may have been an earlier version. */
	private async shipped<T>(step: () => Promise<T>): Promise<T> {
		try {
			this.shipping ??= this.ship();
			await this.shipping;
			return await step();
		} catch (error) {
			// The programs may be gone, and the next step looks.
			this.shipping = undefined;
			throw error;
		}
	}
}
