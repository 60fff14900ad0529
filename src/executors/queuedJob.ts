import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { homedir, hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { errorText, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { visibleLine } from '../base/visible.ts';
import { jsonText, readJsonFile } from '../core/files/jsonFile.ts';
import { redactText } from '../core/traffic/redact.ts';
import type { JobQueue, RemoteJob, Seen } from '../protocol/remoteJob.ts';
import { commandEngine } from './commandEngine.ts';
import { JobName, QueuedJob, type Engine } from './engine.ts';
import { remoteWords } from './remoteWords.ts';
import { slurm } from './slurm.ts';
import { isThere, REMOTE_MARK, type JobFiles } from './jobFiles.ts';
import { pipedVariables, WAIT_MS, type Variables } from './variablesPipe.ts';

/**
 * A job in the queue of a cluster. Its files in the home folder, which the machines share, are the truth about it. The job that makes the fence
 * runs. So it does no harm if the queue has two of one name, or begins one again.
 */

/** So old may be what is known of the queue, in milliseconds. All jobs of a user share it, so that an engine is seldom asked. */
const FRESH_MS = 10_000;
/** For so long a job that the queue does not know was lost by it, and is submitted again. Later it may have been taken out by a person. */
const ACCEPTED_MS = 2 * 60_000;
const MOST_SUBMISSIONS = 3;
/** For so long the queue may take to say how a job ended. */
const ENDING_MS = 60_000;
/** After a cancellation, the site's KillWait of 30 seconds by default, and some more. */
const KILLED_MS = 50_000;

const Known = z.object({ atMs: z.number(), jobs: z.array(QueuedJob) });

interface Queued {
	readonly queue: JobQueue;
}
type WithQueue = RemoteJob & Queued;

export function isQueued<T extends { queue?: JobQueue | undefined }>(job: T | undefined): job is T & Queued {
	return job?.queue !== undefined;
}

function engineOf({ queue }: Queued): Engine {
	return queue.type === 'slurm' ? slurm(queue.sbatch) : commandEngine(queue);
}

function isOpen({ is }: QueuedJob): boolean {
	return is !== 'ended';
}

function nameOf({ id }: JobFiles): string {
	return `nancy-${id}`;
}

/**
 * Submits a job, unless it is in the queue or has begun. Whether it was refused, the queue's list tells later: see {@link whyWaiting}.
 * @param program this Nancy's file
 * @throws NancyError `timeout` if nobody knows whether it was accepted
 */
export async function submitQueued(files: JobFiles, job: WithQueue, program: string): Promise<void> {
	if (isThere(files.fence)) return;
	await files.writeJob(job);
	const engine = engineOf(job);
	const missing = engine.missing();
	if (missing !== undefined) {
		await endUnbegun(files, missing);
		return;
	}
	const isListed = (await jobsOf(files, engine, Date.now())).some(isOpen);
	const refused = isListed
		? undefined
		: await engine.submit({
				name: nameOf(files),
				script: scriptOf(files, program),
				folder: files.folder,
				output: files.queueOutput,
				wallSeconds: job.wallSeconds + (job.forwards ? WAIT_MS / 1000 : 0),
			});
	const times = ((await files.submitted())?.times ?? 0) + 1;
	await files.writeSubmitted({ atMs: Date.now(), times, refused });
}

/**
 * As by `ssh`: a login shell of the user sets the environment, and the runner leads a session of its own. Below Slurm's daemon it would else be
 * taken for a process whose starter is gone: see process/lineage. Signals for the job are passed on to it; one that comes before it is there is seen
 * by its file. `wait` ends with 127 once it is not there. A shell can lose the status of what ends while a signal comes: 1 in 200 with dash.
 */
function scriptOf(files: JobFiles, program: string): string {
	const { SHELL = '/bin/sh' } = process.env;
	const runner = ['node', program, 'run', '--remote', 'run', '--remote-job', files.id];
	return `#!/bin/sh
cd ${remoteWords([files.folder])} && exec >>${remoteWords([files.queueOutput])} 2>&1 || exit
export ${remoteWords([`HOME=${homedir()}`, `${REMOTE_MARK}=${files.id}`])}
runner=
trap '[ -z "$runner" ] || kill -TERM "$runner" 2>/dev/null' TERM INT HUP
setsid ${remoteWords([SHELL, '-lc', `exec ${remoteWords(runner)}`])} </dev/null &
runner=$!
while kill -0 "$runner" 2>/dev/null; do
	wait "$runner"
	code=$?
	if [ "$code" = 127 ]; then break; fi
done
exit "$code"
`;
}

/**
 * Why a job has not begun. A job that the queue has lost is submitted again. One that can never begin ends.
 * @returns `undefined` once it has ended or begun
 */
export async function whyWaiting(files: JobFiles, job: WithQueue, program: string): Promise<string | undefined> {
	const { atMs, times, refused } = (await files.submitted()) ?? { atMs: 0, times: 0 };
	const engine = engineOf(job);
	try {
		const jobs = await jobsOf(files, engine);
		const open = jobs.find(isOpen);
		if (open && !open.isHopeless) return open.says;
		const ended = jobs.at(-1);
		if (open) {
			const isEnd = await endUnbegun(files, `${engine.title} would never start it: ${open.says}`);
			if (isEnd) await engine.cancel(nameOf(files));
		} else if (ended) {
			const why = [`${engine.title} has ended it before it began`, ended.says, await lastWords(files)];
			await endUnbegun(files, why.filter(Boolean).join(': '));
		} else if (Date.now() - atMs < engine.listingMs) {
			return refused ?? 'submitted';
		} else if (refused !== undefined) {
			await endUnbegun(files, `${engine.title} refuses it: ${refused}`);
		} else if (Date.now() - atMs < ACCEPTED_MS && times < MOST_SUBMISSIONS) {
			await submitQueued(files, job, program);
			return 'submitted again';
		} else {
			await endUnbegun(files, `${engine.title} does not know it any more, and it never began`);
		}
	} catch (error) {
		return errorText(error);
	}
	// A home folder that machines share may show it late.
	return isThere(files.fence) ? undefined : 'it begins';
}

/** Ends a job that has not begun: from then on it cannot begin. Says whether that was so. */
async function endUnbegun(files: JobFiles, reason: string): Promise<boolean> {
	if (!(await files.claim())) return false;
	await files.writeEnd({ ok: false, reason, output: '' });
	return true;
}

/** Whether the runner of a begun job lives that is on another machine. */
export async function livesElsewhere(files: JobFiles, job: Queued): Promise<boolean> {
	return (await files.showsLife()) || (await isAtWork(files, engineOf(job)));
}

/** Whether the queue has the job on a machine. If it does not answer, nobody knows that it has not. */
async function isAtWork(files: JobFiles, engine: Engine): Promise<boolean> {
	const jobs = await jobsOf(files, engine).catch(() => undefined);
	return jobs === undefined || jobs.some(({ is }) => is === 'running');
}

/**
 * A job that has failed, with how the queue has ended it. While the queue may be about to say that, it counts as running.
 * @param lookMs when the look at this and other jobs began, which one question answers
 */
export async function explained(
	files: JobFiles,
	job: Queued,
	is: 'ended' | 'lost',
	lookMs: number,
): Promise<Pick<Seen, 'is' | 'queueSays'>> {
	if (existsSync(files.cancelled)) return { is };
	const engine = engineOf(job);
	const jobs = await jobsOf(files, engine, lookMs).catch(() => []);
	const isEnding = jobs.some(each => each.is === 'running');
	if (isEnding && (is === 'lost' || Date.now() - (await stat(files.endFile)).mtimeMs < ENDING_MS))
		return { is: 'running' };
	const ended = jobs.find(each => !isOpen(each) && each.says !== '');
	return { is, ...(ended && { queueSays: `${engine.title}: ${ended.says}` }) };
}

/**
 * Asks a job to end. One that has not begun never does. Else its runner ends its agent and commits.
 * @throws NancyError `timeout` if neither the disk nor the engine takes it
 */
export async function cancelQueued(files: JobFiles, job: Queued): Promise<void> {
	const isNoted = await writeFileAtomic(files.cancelled, '').then(
		() => true,
		() => false,
	);
	const engine = engineOf(job);
	const isUnbegun = await endUnbegun(files, 'cancelled');
	try {
		if (!isUnbegun && engine.tell) await engine.tell(nameOf(files));
		else if (isUnbegun || !isNoted) await engine.cancel(nameOf(files));
	} catch (error) {
		// The runner looks for the file, and a job that begins later finds the fence.
		if (!isNoted) throw error;
	}
}

/** Gives a job that runs the variables of its agent, for which it waits. */
export async function giveVariables(files: JobFiles, job: Queued, variables: Variables): Promise<void> {
	await engineOf(job).pipe?.(nameOf(files), files.variablesPipe, pipedVariables(variables));
}

/** Takes what is left of a job out of the queue, which need not answer: a job that begins later finds no folder. */
export async function forgetQueued(files: JobFiles, job: Queued): Promise<void> {
	await engineOf(job)
		.cancel(nameOf(files))
		.catch(() => undefined);
}

/**
 * Ends every process of a job, on whichever machine.
 * @throws NancyError `timeout` if it still runs, or if nobody knows
 */
export async function killQueued(files: JobFiles, job: Queued): Promise<void> {
	const engine = engineOf(job);
	await engine.cancel(nameOf(files));
	for (const givenUpAt = Date.now() + KILLED_MS; ; await sleep(1000)) {
		if (!(await jobsOf(files, engine, Date.now())).some(isOpen)) return;
		if (Date.now() > givenUpAt) throw new NancyError('timeout', phrase`its queue has not ended it`);
	}
}

/** The call of each engine that is under way. */
const asking = new Map<string, { atMs: number; jobs: Promise<QueuedJob[]> }>();

async function askQueue(file: string, engine: Engine, atMs: number): Promise<QueuedJob[]> {
	try {
		const jobs = (await engine.jobs()).filter(({ name }) => JobName.safeParse(name).success);
		// What cannot be kept is asked again.
		await writeFileAtomic(file, jsonText({ atMs, jobs })).catch(() => undefined);
		return jobs;
	} finally {
		if (asking.get(engine.key)?.atMs === atMs) asking.delete(engine.key);
	}
}

/**
 * What the queue has of a job.
 * @param sinceMs an answer of an earlier moment does not count; by default that of the submission
 */
async function jobsOf(files: JobFiles, engine: Engine, sinceMs?: number): Promise<QueuedJob[]> {
	const fromMs = sinceMs ?? (await files.submitted())?.atMs ?? 0;
	const now = Date.now();
	const file = files.queueFile(engine.key, hostname());
	const known = await readJsonFile(file, Known).catch(() => undefined);
	const isFresh = known && known.atMs >= fromMs && known.atMs <= now && now - known.atMs < FRESH_MS;
	// If many jobs are looked at side by side, one of them asks.
	const call = asking.get(engine.key);
	if (isFresh) return ownOf(files, known.jobs);
	if (call && call.atMs >= fromMs) return ownOf(files, await call.jobs);
	const jobs = askQueue(file, engine, now);
	asking.set(engine.key, { atMs: now, jobs });
	return ownOf(files, await jobs);
}

function ownOf(files: JobFiles, jobs: readonly QueuedJob[]): QueuedJob[] {
	return jobs.filter(({ name }) => name === nameOf(files));
}

/** What the job's own shell has said last, such as that there is no Node on the machine that it came to. */
async function lastWords({ queueOutput }: JobFiles): Promise<string> {
	const lines = (await readFile(queueOutput, 'utf8').catch(() => '')).trim().split('\n');
	return visibleLine(redactText(lines.at(-1) ?? ''), 300);
}
