import { existsSync } from 'node:fs';
import { readFile, stat, utimes } from 'node:fs/promises';
import { homedir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { errorText, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { visibleLine } from '../base/visible.ts';
import { jsonText, readJsonFile } from '../core/files/jsonFile.ts';
import { redactText } from '../core/traffic/redact.ts';
import { limitsTime } from '../protocol/sbatch.ts';
import type { JobQueue, RemoteEnd, RemoteJob, Seen } from '../protocol/remoteJob.ts';
import { remoteWords } from './remoteWords.ts';
import {
	cancelJobs,
	isEnded,
	isHopeless,
	isPending,
	isSlurmHere,
	QueuedJob,
	queuedJobs,
	submitJob,
	wordsOf,
} from './slurm.ts';
import { REMOTE_MARK, type JobFiles } from './jobFiles.ts';

/**
 * A job in the queue of a cluster. Its files in the home folder, which the machines share, are the truth about it. The job that makes the fence
 * runs. So it does no harm if the queue has two of one name, or begins one again.
 */

/** So old may be what is known of the queue, in milliseconds. All jobs of a user share it, so that a cluster is seldom asked. */
const FRESH_MS = 10_000;
/** Between two signs of life of a runner, in milliseconds. It then also looks whether it is to end. */
const BEAT_MS = 15_000;
/** After so long without one, the queue decides whether a runner on another machine lives. */
const SILENT_MS = 3 * 60_000;
/** For so long a job that the queue does not know was lost by it, and is submitted again. Later it may have been taken out by a person. */
const ACCEPTED_MS = 2 * 60_000;
const MOST_SUBMISSIONS = 3;
/** For so long the queue may take to say how a job ended. */
const ENDING_MS = 60_000;
/** After a cancellation, the site's KillWait of 30 seconds by default, and some more. */
const KILLED_MS = 50_000;
/** Minutes of a job beyond those that its agent may take: for its worktree, and for its commit. */
const MORE_MINUTES = 5;

const Known = z.object({ atMs: z.number(), jobs: z.array(QueuedJob) });

type WithQueue = RemoteJob & { queue: JobQueue };

export function isQueued(job: RemoteJob | undefined): job is WithQueue {
	return job?.queue !== undefined;
}

function nameOf({ id }: JobFiles): string {
	return `nancy-${id}`;
}

/**
 * Submits a job, unless it is in the queue or has begun. A job that is refused for certain ends, and never begins.
 * @param program this Nancy's file
 * @throws NancyError `timeout` if nobody knows whether it was accepted
 */
export async function submitQueued(files: JobFiles, job: WithQueue, program: string): Promise<void> {
	if (existsSync(files.fence)) return;
	await files.writeJob(job);
	if (!isSlurmHere()) {
		await endUnbegun(files, 'a login shell there finds no sbatch: it is no login host of a Slurm cluster');
		return;
	}
	if (!(await jobsOf(files, Date.now())).some(each => !isEnded(each))) {
		const refused = await submitJob(argumentsOf(files, job), scriptOf(files, program));
		if (refused !== undefined) {
			await endUnbegun(files, `Slurm refuses it: ${refused}`);
			return;
		}
	}
	const times = ((await files.submitted())?.times ?? 0) + 1;
	await files.writeSubmitted({ atMs: Date.now(), times });
}

/** The last of an option counts. `--export=ALL`, the default, writes the whole environment to a disk of the cluster. */
function argumentsOf(files: JobFiles, { queue, wallSeconds }: WithQueue): string[] {
	const output = files.queueOutput.replaceAll('%', '%%');
	return [
		...(limitsTime(queue.sbatch) ? [] : [`--time=${Math.ceil(wallSeconds / 60) + MORE_MINUTES}`]),
		...queue.sbatch,
		'--export=NONE',
		'--no-requeue',
		`--job-name=${nameOf(files)}`,
		`--chdir=${files.folder}`,
		`--output=${output}`,
		`--error=${output}`,
		'--open-mode=append',
	];
}

/**
 * As by `ssh`: a login shell of the user sets the environment, and the runner leads a session of its own. Below Slurm's daemon it would else be
 * taken for a process whose starter is gone: see process/lineage. Signals for the job are passed on to it. `wait` ends with 127 once it is not there.
 */
function scriptOf(files: JobFiles, program: string): string {
	const { SHELL = '/bin/sh' } = process.env;
	const runner = ['node', program, 'run', '--remote', 'run', '--remote-job', files.id];
	return `#!/bin/sh
export ${remoteWords([`HOME=${homedir()}`, `${REMOTE_MARK}=${files.id}`])}
setsid ${remoteWords([SHELL, '-lc', `exec ${remoteWords(runner)}`])} </dev/null &
runner=$!
trap 'kill -TERM "$runner" 2>/dev/null' TERM INT HUP
while kill -0 "$runner" 2>/dev/null; do
	wait "$runner"
	code=$?
	if [ "$code" = 127 ]; then break; fi
done
exit "$code"
`;
}

/**
 * Of a job that has not begun: why. A job that the queue has lost is submitted again. One that can never begin ends.
 * @returns `undefined` once it has ended or begun
 */
export async function whyWaiting(files: JobFiles, job: WithQueue, program: string): Promise<string | undefined> {
	const { atMs, times } = (await files.submitted()) ?? { atMs: 0, times: 0 };
	try {
		const jobs = await jobsOf(files);
		const open = jobs.find(each => !isEnded(each));
		if (open && !isHopeless(open)) return isPending(open) && open.reason !== 'None' ? open.reason : open.state;
		const ended = jobs.at(-1);
		if (open) {
			const isEnd = await endUnbegun(files, `Slurm would never start it: ${open.reason}`);
			if (isEnd) await cancelJobs(nameOf(files));
		} else if (ended) {
			await endUnbegun(files, `Slurm has ended it before it began: ${wordsOf(ended)}${await lastWords(files)}`);
		} else if (Date.now() - atMs < ACCEPTED_MS && times < MOST_SUBMISSIONS) {
			await submitQueued(files, job, program);
			return 'submitted again';
		} else {
			await endUnbegun(files, 'Slurm does not know it any more, and it never began');
		}
	} catch (error) {
		return errorText(error);
	}
	// A home folder that machines share may show it late.
	return existsSync(files.fence) ? undefined : 'it begins';
}

/** Ends a job that has not begun: from then on it cannot begin. Says whether that was so. */
async function endUnbegun(files: JobFiles, reason: string): Promise<boolean> {
	if (!(await files.claim())) return false;
	await files.writeEnd({ ok: false, reason, output: '' });
	return true;
}

/** Whether the runner of a begun job lives that is on another machine. */
export async function livesElsewhere(files: JobFiles): Promise<boolean> {
	const { mtimeMs } = await stat(files.runnerFile);
	return Date.now() - mtimeMs < SILENT_MS || (await isAtWork(files));
}

/** Whether the queue has the job on a machine. If it does not answer, nobody knows that it has not. */
async function isAtWork(files: JobFiles): Promise<boolean> {
	const jobs = await jobsOf(files).catch(() => undefined);
	return jobs === undefined || jobs.some(each => !isEnded(each) && !isPending(each));
}

/** A job that has failed, with how the queue has ended it. While the queue may be about to say that, it counts as running. */
export async function explained(files: JobFiles, is: 'ended' | 'lost'): Promise<Pick<Seen, 'is' | 'queueSays'>> {
	if (existsSync(files.cancelled)) return { is };
	const now = Date.now();
	const jobs = await jobsOf(files, now).catch(() => []);
	const isEnding = jobs.some(each => !isEnded(each) && !isPending(each));
	if (isEnding && (is === 'lost' || now - (await stat(files.endFile)).mtimeMs < ENDING_MS)) return { is: 'running' };
	const ended = jobs.find(each => isEnded(each) && each.state !== 'COMPLETED');
	return { is, ...(ended && { queueSays: wordsOf(ended) }) };
}

/**
 * Asks a job to end. One that has not begun never does. Else its runner ends its agent and commits, and not every process gets the signal.
 * @throws NancyError `timeout` if neither the disk nor Slurm takes it
 */
export async function cancelQueued(files: JobFiles): Promise<void> {
	const isNoted = await writeFileAtomic(files.cancelled, '').then(
		() => true,
		() => false,
	);
	const only = (await endUnbegun(files, 'cancelled')) ? [] : ['--batch', '--signal=TERM'];
	await cancelJobs(nameOf(files), ...only).catch((error: unknown) => {
		// The runner looks for the file, and a job that begins later finds the fence.
		if (!isNoted) throw error;
	});
}

/** Takes what is left of a job out of the queue, which need not answer: a job that begins later finds no folder. */
export async function forgetQueued(files: JobFiles): Promise<void> {
	await cancelJobs(nameOf(files)).catch(() => undefined);
}

/**
 * Ends every process of a job, on whichever machine.
 * @throws NancyError `timeout` if it still runs, or if nobody knows
 */
export async function killQueued(files: JobFiles): Promise<void> {
	await cancelJobs(nameOf(files));
	for (const givenUpAt = Date.now() + KILLED_MS; ; await sleep(1000)) {
		if ((await jobsOf(files, Date.now())).every(isEnded)) return;
		if (Date.now() > givenUpAt) throw new NancyError('timeout', phrase`Slurm has not ended it`);
	}
}

/**
 * In the process that runs a job: does its work once, however often the queue begins it, and writes its end last. Gives signs of life meanwhile.
 * @param signal aborted when this process is told to end
 */
export async function runOnce(
	files: JobFiles,
	signal: AbortSignal,
	work: (job: RemoteJob, signal: AbortSignal) => Promise<RemoteEnd>,
): Promise<void> {
	const job = await files.job();
	if (!job || (isQueued(job) && !(await files.claim()))) return;
	await files.writeRunner();
	const asked = new AbortController();
	const beat = setInterval(() => {
		if (existsSync(files.cancelled)) asked.abort();
		const now = new Date();
		void utimes(files.runnerFile, now, now).catch(() => undefined);
	}, BEAT_MS);
	try {
		await files.writeEnd(await work(job, AbortSignal.any([signal, asked.signal])));
	} finally {
		clearInterval(beat);
	}
}

/**
 * What the queue has of a job.
 * @param sinceMs the moment of which an answer must be newer; by default that of the submission
 */
async function jobsOf(files: JobFiles, sinceMs?: number): Promise<QueuedJob[]> {
	const newerThanMs = sinceMs ?? (await files.submitted())?.atMs ?? 0;
	const now = Date.now();
	const known = await readJsonFile(files.queueFile, Known).catch(() => undefined);
	const isFresh = known && known.atMs > newerThanMs && known.atMs <= now && now - known.atMs < FRESH_MS;
	const jobs = isFresh ? known.jobs : (await queuedJobs()).filter(({ name }) => name.startsWith('nancy-'));
	// What cannot be kept is asked again.
	if (!isFresh) await writeFileAtomic(files.queueFile, jsonText({ atMs: now, jobs })).catch(() => undefined);
	return jobs.filter(({ name }) => name === nameOf(files));
}

/** What the job's own shell has said last, such as that there is no Node on the machine that it came to. */
async function lastWords({ queueOutput }: JobFiles): Promise<string> {
	const lines = (await readFile(queueOutput, 'utf8').catch(() => '')).trim().split('\n');
	const last = visibleLine(redactText(lines.at(-1) ?? ''), 300);
	return last === '' ? '' : `: ${last}`;
}
