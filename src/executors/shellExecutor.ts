import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { hasCode } from '../base/errors.ts';
import { fileNames } from '../base/listing.ts';
import { fetchWork, sendBase, type Transport } from '../git/remoteRepository.ts';
import type { DelegateId } from '../protocol/delegate.ts';
import type { MessageId } from '../protocol/names.ts';
import { Seen, TakenBack, type JobQueue, type RemoteJob, type RemoteLetter } from '../protocol/remoteJob.ts';
import type { Worktree } from '../protocol/worktree.ts';
import type { Executor } from './executor.ts';
import { letterName } from './mailThere.ts';
import { RECEIVER } from './receiver.ts';
import { inLoginShell } from './remoteWords.ts';
import type { Way } from './way.ts';
import { refuseError } from './ask.ts';

/** For a step, in milliseconds. A first connection takes most of it. */
const STEP_MS = 60_000;
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

/** Delegates on a machine whose shell Nancy reaches, or in the queue of a cluster that the machine submits to. */
export class ShellExecutor implements Executor {
	private isShipped = false;

	/**
	 * @param runtime the installed one: its folder's name is its version and its hash
	 * @param queue where its jobs wait for a place; asked before each submission
	 */
	constructor(
		private readonly way: Way,
		private readonly runtime: { folder: string; version: string },
		private readonly queue: () => Promise<JobQueue | undefined> = () => Promise.resolve(undefined),
	) {}

	async prepare(job: RemoteJob, worktree: Worktree): Promise<void> {
		await this.transfer(job, way => sendBase(worktree, job.id, way));
	}

	async submit(job: RemoteJob): Promise<void> {
		const queue = await this.queue();
		await this.step('start', { ...job, ...(queue && { queue }) });
	}

	async carry({ id }: RemoteJob, letters: readonly RemoteLetter[]): Promise<void> {
		await this.step('mail', { id, letters });
	}

	async takeBack(id: DelegateId, message: MessageId): Promise<TakenBack> {
		return TakenBack.parse(await this.step('takeBack', { id, message }));
	}

	async observe({ id }: RemoteJob, offset: number, carried: readonly RemoteLetter[]): Promise<Seen> {
		return Seen.parse(await this.step('look', { id, offset, carried: carried.map(letterName) }));
	}

	async cancel({ id }: RemoteJob): Promise<void> {
		await this.step('cancel', { id });
	}

	async rescue({ id, repository }: RemoteJob): Promise<boolean> {
		return Rescued.parse(await this.step('rescue', { id, repository }, TRANSFER_MS)).isWork;
	}

	async collect(job: RemoteJob, worktree: Worktree): Promise<void> {
		await this.transfer(job, way => fetchWork(worktree, job.id, way));
	}

	place({ id }: RemoteJob): string {
		return `${JOBS}/${id} on ${this.way.place}`;
	}

	async cleanUp({ id, repository }: RemoteJob): Promise<void> {
		await this.step('clean', { id, repository });
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
		const answer = await this.way.ask(inLoginShell(['node', '-e', RECEIVER]), JSON.stringify(input), limit);
		return Received.parse(refuseError(answer));
	}

	private async transfer(job: RemoteJob, carry: (way: Transport) => Promise<void>): Promise<void> {
		const place = await this.repository(job);
		try {
			await carry({
				command: program => this.way.gitCommand(program, place),
				deadlineMs: Date.now() + TRANSFER_MS,
			});
		} catch (error) {
			// Git does not pass on why its connection was lost. If it still fails, ssh says it.
			if (hasCode(error, 'timeout')) await this.repository(job);
			throw error;
		}
	}

	private async repository({ repository }: RemoteJob) {
		return Place.parse(await this.step('repository', { repository }));
	}

	/** Every step ships first what it calls: the Nancy that began the job may have been an earlier version. */
	private async step(name: string, input: unknown, timeoutMs = STEP_MS): Promise<unknown> {
		if (!this.isShipped) await this.ship();
		this.isShipped = true;
		return this.way.step(this.runtime.version, name, input, timeoutMs);
	}
}
