import { execFile } from 'node:child_process';
import { userInfo } from 'node:os';
import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { onPath } from '../base/searchPath.ts';
import { phrase } from '../base/phrase.ts';
import { visibleLine } from '../base/visible.ts';

/**
 * Slurm's commands, as of 22.05, on a machine that submits to it. What they say of a job is a hint: an accepted job can be lost, begin twice, or
 * be reported as ended while it runs.
 */

/** For one command, in milliseconds. Slurm's own limit for an answer of its controller is ten seconds by default. */
const COMMAND_MS = 25_000;
const LONGEST_OUTPUT = 16 * 1024 * 1024;

/** A job of the queue. Ended ones stay there for `MinJobAge`, five minutes by default. */
export const QueuedJob = z.object({
	name: z.string(),
	/** Such as `PENDING`. */
	state: z.string(),
	/** Why it is in this state, such as `Resources`. */
	reason: z.string(),
});
export type QueuedJob = z.infer<typeof QueuedJob>;

/** States that a job does not leave by itself (squeue(1), "JOB STATE CODES"). */
const ENDED = new Set([
	'BOOT_FAIL',
	'CANCELLED',
	'COMPLETED',
	'DEADLINE',
	'FAILED',
	'NODE_FAIL',
	'OUT_OF_MEMORY',
	'PREEMPTED',
	'REVOKED',
	'TIMEOUT',
]);

/** Reasons for which a job waits for ever, unless an administrator changes the cluster (squeue(1), "JOB REASON CODES"). */
const HOPELESS =
	/^(?:AccountNotAllowed|DependencyNeverSatisfied|InvalidAccount|InvalidQOS|PartitionTimeLimit|QOSNotAllowed|QOS(?:Time|MaxWallDurationPerJob)Limit|AssocMaxWallDurationPerJobLimit)$/;

/** Of a refused submission: whether it may have been accepted all the same, or would be at another try. */
const UNSURE =
	/Socket timed out|Unable to contact|onnection|Zero Bytes|temporarily|not respond|Transport|[Aa]uthenticat|[Mm]unge|standby|timed out/;

export function isEnded({ state }: QueuedJob): boolean {
	return ENDED.has(state);
}

export function isPending({ state }: QueuedJob): boolean {
	return state === 'PENDING';
}

export function isHopeless(job: QueuedJob): boolean {
	return isPending(job) && HOPELESS.test(job.reason);
}

/** `TIMEOUT, TimeLimit` */
export function wordsOf({ state, reason }: QueuedJob): string {
	return reason === '' || reason === 'None' ? state : `${state}, ${reason}`;
}

/**
 * All jobs of the user, and those that have just ended.
 * @throws NancyError `timeout` if Slurm does not answer
 */
export async function queuedJobs(): Promise<QueuedJob[]> {
	const all = ['--noheader', '--states=all', `--user=${userInfo().username}`, '--format=%j|%T|%r'];
	const { code, output, complaint } = await call('squeue', all);
	if (code !== 0) throw new NancyError('timeout', phrase`Slurm does not answer: ${complaint}`);
	return output.split('\n').flatMap(line => {
		const [name, state, ...reason] = line.trim().split('|');
		return name === undefined || state === undefined ? [] : [{ name, state, reason: reason.join('|') }];
	});
}

/**
 * @param args for `sbatch`
 * @returns why it was refused for certain; `undefined` if it was accepted
 * @throws NancyError `timeout` if nobody knows
 */
export async function submitJob(args: readonly string[], script: string): Promise<string | undefined> {
	const { code, complaint } = await call('sbatch', ['--parsable', ...args], script);
	if (code === 0) return undefined;
	if (code === undefined || UNSURE.test(complaint))
		throw new NancyError('timeout', phrase`Slurm does not answer: ${complaint}`);
	return complaint;
}

/**
 * @param only which jobs of that name, or what is to be done with them
 * @throws NancyError `timeout` if Slurm does not answer. Of a job that has ended, or that it does not know, it says nothing.
 */
export async function cancelJobs(name: string, ...only: readonly string[]): Promise<void> {
	const { code, complaint } = await call('scancel', [`--user=${userInfo().username}`, `--name=${name}`, ...only]);
	if (code !== 0) throw new NancyError('timeout', phrase`Slurm does not answer: ${complaint}`);
}

/** Whether this machine submits to a cluster. */
export function isSlurmHere(): boolean {
	return ['sbatch', 'squeue', 'scancel'].every(name => onPath(name, process.env) !== undefined);
}

function call(
	name: string,
	args: readonly string[],
	input = '',
): Promise<{ code: number | undefined; output: string; complaint: string }> {
	const program = onPath(name, process.env);
	if (program === undefined)
		return Promise.resolve({ code: undefined, output: '', complaint: `a login shell finds no ${name}` });
	const options = {
		env: environment(),
		timeout: COMMAND_MS,
		killSignal: 'SIGKILL',
		maxBuffer: LONGEST_OUTPUT,
	} as const;
	return new Promise(resolve => {
		const child = execFile(program, args, options, (error, output, complaint) => {
			const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined;
			const words =
				complaint.trim() || (code === undefined ? `no answer of ${name}` : `${name} ended with ${code}`);
			resolve({ code, output, complaint: visibleLine(words, 400) });
		});
		child.stdin?.on('error', () => undefined); // it has ended without reading all of it
		child.stdin?.end(input);
	});
}

/** Variables of the user's that would hide jobs, or make a submission another kind of call. */
function environment(): NodeJS.ProcessEnv {
	const own = /^(?:SQUEUE_|SCANCEL_|SBATCH_(?:ARRAY_INX|CLUSTERS|WAIT|TEST_ONLY)$)/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}
