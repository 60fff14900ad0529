import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { errorText, NancyError } from '../base/errors.ts';
import { removeTree } from '../base/removeTree.ts';
import { liveness, type ProcessIdentity } from '../base/liveness.ts';
import { phrase } from '../base/phrase.ts';
import {
	bareRepository,
	checkoutThere,
	commitThere,
	forgetThere,
	gitHere,
	refuseNested,
	repositoryOf,
	type JobGit,
} from '../git/repositoryThere.ts';
import { stopMarked } from '../process/marked.ts';
import { signal } from '../process/signal.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { MessageId } from '../protocol/names.ts';
import { RemoteJob, RemoteLetter, type JobQueue, type Seen } from '../protocol/remoteJob.ts';
import type { Steps } from './here.ts';
import { JobLooks, lookAtEach, type JobLook } from './jobLook.ts';
import { ageOnDisk, isThere, JobFiles, REMOTE_MARK, remoteRoot } from './jobFiles.ts';
import {
	cancelQueued,
	explained,
	forgetQueued,
	giveVariables,
	isQueued,
	killQueued,
	livesElsewhere,
	submitQueued,
	whyWaiting,
} from './queuedJob.ts';
import { isWaiting, Variables } from './variablesPipe.ts';
import { forgetRecordsThere, putThere, receiptsThere, takeBackThere, takenBackThere } from './mailThere.ts';

/** Part of the log that one look reads, in bytes. The part holds at least one line: see {@link JobFiles.appendLog}. */
const LOG_PART = 256 * 1024;
/** Between two looks whether a job has ended, in milliseconds. Each costs one system call. */
const END_MS = 25;
/** Longest time between the fence and the word of its runner, in milliseconds. */
const BEGINNING_MS = 30_000;

const RepositoryName = z.pick(RemoteJob, { repository: true });
const JobName = z.pick(RemoteJob, { id: true, queue: true });
/** Input of a start: the variables of a job without a queue, which are on no disk. */
const Start = z.object({ variables: z._default(Variables, {}) });
const Given = z.object({ id: DelegateId, variables: Variables });
const Mail = z.object({ id: DelegateId, letters: z.array(RemoteLetter) });
const TakeBack = z.object({ id: DelegateId, message: MessageId });
const Clean = z.pick(RemoteJob, { id: true, repository: true, queue: true });

/** With the id of a job: the repository that has its work. */
const Asked = z.extend(RepositoryName, { id: z.optional(DelegateId) });

function repositoryFolder({ repository }: z.infer<typeof RepositoryName>): string {
	return join(remoteRoot(), 'repos', `${repository}.git`);
}

/** Git's folders of a job. */
export function gitOf(job: Pick<RemoteJob, 'id' | 'repository'>): JobGit {
	const { id, tree, repository } = new JobFiles(job.id);
	return { id, shared: repositoryFolder(job), own: repository, folder: tree };
}

/**
 * The steps that another machine asks for, by name. Each takes parsed JSON from there, and may be repeated.
 * @param program this Nancy's file
 */
export const steps: Steps = {
	async repository(input) {
		await mkdir(join(remoteRoot(), 'repos'), { recursive: true, mode: 0o700 });
		const { repository, id } = Asked.parse(input);
		const shared = await bareRepository(repositoryFolder({ repository }));
		return {
			git: gitHere(),
			repository: id === undefined ? shared : await repositoryOf(gitOf({ id, repository })),
		};
	},
	async start(input, program) {
		const job = RemoteJob.parse(input);
		const files = new JobFiles(job.id);
		await mkdir(files.folder, { recursive: true, mode: 0o700 });
		if (isQueued(job)) {
			await submitQueued(files, job, program);
			return {};
		}
		const { variables } = Start.parse(input);
		if (isThere(files.fence)) return {};
		// Before the fence: where there is no room for it, another try is a start.
		await files.writeJob(job);
		if (!(await files.claim())) return {};
		const runner = spawn(process.execPath, [program, 'run', '--remote', 'run', '--remote-job', job.id], {
			cwd: files.folder,
			detached: true,
			stdio: 'ignore',
			env: { ...process.env, ...variables, [REMOTE_MARK]: job.id },
		});
		try {
			await once(runner, 'spawn');
		} catch (error) {
			await files.writeEnd({
				ok: false,
				reason: `its runner cannot be started: ${errorText(error)}`,
				output: '',
			});
		}
		runner.unref();
		return {};
	},
	async look(input, program) {
		const { jobs, waitMs } = JobLooks.parse(input);
		await untilEnd(jobs, waitMs);
		const lookMs = Date.now();
		return lookAtEach(jobs, job => lookAt(job, program, lookMs));
	},
	async mail(input) {
		const { id, letters } = Mail.parse(input);
		const files = new JobFiles(id);
		await putThere(files.folder, await mailboxOf(files), letters);
		return {};
	},
	async takeBack(input) {
		const { id, message } = TakeBack.parse(input);
		const files = new JobFiles(id);
		return takeBackThere(files.folder, await mailboxOf(files), message);
	},
	async variables(input) {
		const { id, variables } = Given.parse(input);
		const files = new JobFiles(id);
		const job = await files.job();
		if (isQueued(job) && isWaiting(files)) await giveVariables(files, job, variables);
		return {};
	},
	async cancel(input) {
		const { id, queue } = JobName.parse(input);
		const files = new JobFiles(id);
		if (!existsSync(files.folder)) return {};
		const job = await queuedAs(files, queue);
		if (job) {
			await cancelQueued(files, job);
			return {};
		}
		// Before the file: on a full disk there is none.
		if (await askToEnd(files)) return {};
		await writeFileAtomic(files.cancelled, '');
		// A runner that has begun meanwhile may have looked for it before.
		await askToEnd(files);
		return {};
	},
	async rescue(input) {
		const { id, repository, queue } = Clean.parse(input);
		const files = new JobFiles(id);
		// One that never began has nothing to end.
		const mayRun = !(await files.end()) || (await files.runner()) !== undefined;
		const job = await queuedAs(files, queue);
		if (job && mayRun) await killQueued(files, job);
		await stopMarked(REMOTE_MARK, id);
		const isWork = isThere(files.begun);
		if (isWork) await commitThere(gitOf({ id, repository }));
		return { isWork };
	},
	async clean(input) {
		const { id, repository, queue } = Clean.parse(input);
		const files = new JobFiles(id);
		const job = await queuedAs(files, queue);
		if (job) await forgetQueued(files, job);
		await stopMarked(REMOTE_MARK, id);
		await refuseNested(gitOf({ id, repository }));
		// First: a worktree that is half gone has no work to ask for.
		await rm(files.begun, { force: true });
		await forgetThere(gitOf({ id, repository }));
		await forgetRecordsThere(files.folder);
		await removeTree(files.folder);
		return {};
	},
};

/**
 * The queue that a job is in, to end it and to clean it up. Its own file says it, unless its agent has written garbage there.
 * @param asked the one that it is in now, as far as the asker knows
 */
async function queuedAs(files: JobFiles, asked: JobQueue | undefined): Promise<{ queue: JobQueue } | undefined> {
	const job = (await files.jobIfSound()) ?? { queue: asked };
	return isQueued(job) ? job : undefined;
}

/** Whether a runner was there to ask. */
async function askToEnd(files: JobFiles): Promise<boolean> {
	const runner = await files.runner();
	if (!runner || liveness(runner) !== 'alive') return false;
	signal(runner.pid, 'SIGTERM');
	return true;
}

async function mailboxOf(files: JobFiles) {
	const mailbox = (await files.job())?.mailbox;
	if (mailbox) return mailbox;
	throw new NancyError('wrong-state', phrase`no message reaches the agent of this job`);
}

/** Makes the worktree of a job, and returns the folder to work in. */
export async function workingFolderThere(job: RemoteJob, files: JobFiles): Promise<string> {
	await checkoutThere(gitOf(job), job.base);
	await writeFileAtomic(files.begun, '', { sync: true });
	const folder = join(files.tree, job.prefix);
	if (existsSync(folder)) return folder;
	throw new NancyError(
		'bad-usage',
		phrase`nothing is committed in ${job.prefix}, so the worktree has no such folder`,
	);
}

/** Waits until one of the jobs has ended, so that whoever watches it need not come again for that. */
async function untilEnd(jobs: readonly JobLook[], waitMs: number): Promise<void> {
	const untilMs = Date.now() + waitMs;
	const files = jobs.map(({ id }) => new JobFiles(id).endFile);
	while (Date.now() < untilMs && !files.some(file => existsSync(file))) await sleep(END_MS);
}

async function lookAt({ id, offset, carried }: JobLook, program: string, lookMs: number): Promise<Seen> {
	const files = new JobFiles(id);
	const now = await seen(files, offset, program, lookMs);
	// After its state: the receipts of an ended job are the last ones.
	const mailbox = carried.length > 0 ? (await files.jobIfSound())?.mailbox : undefined;
	if (!mailbox) return now;
	// They are asked for again, and the job counts more.
	const receipts = await receiptsThere(files.folder, mailbox, carried).catch(() => []);
	const takenBack = await takenBackThere(files.folder, carried).catch(() => []);
	return { ...now, receipts, takenBack };
}

/** If a job is at work, it reads no more than who runs it, its status and what is new in its log. */
async function seen(files: JobFiles, offset: number, program: string, lookMs: number): Promise<Seen> {
	const none = { log: '', nextOffset: offset, receipts: [], takenBack: [] };
	if (!isThere(files.fence)) {
		const job = await files.job();
		const waits = isQueued(job) ? await whyWaiting(files, job, program) : undefined;
		if (waits !== undefined) return { is: 'running', queueSays: waits, ...none };
		if (!isThere(files.fence)) return { is: 'absent', ...none };
	}
	const runner = await files.runner();
	// A started program takes a moment to say who it is.
	const isBeginning = !runner && (await ageOnDisk(files.fence)) < BEGINNING_MS;
	const isAlive = isBeginning || (runner !== undefined && (await lives(runner, files)));
	// After the runner: it writes its end before it is gone.
	const end = await files.end();
	if (!isAlive && !end) await stopMarked(REMOTE_MARK, files.id);
	const status = await files.status();
	const is = end ? 'ended' : isAlive ? 'running' : 'lost';
	const job = is !== 'running' && !end?.ok ? await files.jobIfSound() : undefined;
	return {
		...(is !== 'running' && isQueued(job) ? await explained(files, job, is, lookMs) : { is }),
		...(status && { status }),
		...(is === 'running' && isWaiting(files) && { awaitsVariables: true }),
		...logFrom(files.log, offset),
		...(end && { end }),
		receipts: [],
		takenBack: [],
	};
}

/**
 * If machines share a home, the runner may be on another one, and nothing here tells whether it lives. So it is with a container that was
 * started anew.
 */
async function lives(runner: ProcessIdentity, files: JobFiles): Promise<boolean> {
	const is = liveness(runner);
	if (is !== 'unknown') return is === 'alive';
	const job = await files.jobIfSound();
	return isQueued(job) ? livesElsewhere(files, job) : files.showsLife();
}

function logFrom(file: string, offset: number): { log: string; nextOffset: number } {
	const none = { log: '', nextOffset: offset };
	const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
	if (size <= offset) return none;
	const part = Buffer.alloc(Math.min(size - offset, LOG_PART));
	const handle = openSync(file, 'r');
	try {
		const read = part.subarray(0, readSync(handle, part, 0, part.length, offset));
		// Whole lines: a character may have several bytes, and the name before a secret identifies it.
		const whole = read.subarray(0, read.lastIndexOf(0x0a) + 1);
		return { log: whole.toString('utf8'), nextOffset: offset + whole.length };
	} finally {
		closeSync(handle);
	}
}
