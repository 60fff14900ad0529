import { userInfo } from 'node:os';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { limitsTime } from '../protocol/sbatch.ts';
import { callEngine, programOf, type Engine, type QueuedJob, type Submission } from './engine.ts';

/**
 * Slurm's commands, as of 22.05, on a machine that submits to it. What they say of a job is a hint: an accepted job can be lost, begin twice, or
 * be reported as ended while it runs.
 */

/** Minutes of a job beyond those that its agent may take: for its worktree, and for its commit. */
const MORE_MINUTES = 5;

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

/** Matches the error of a refused submission that may have been accepted all the same, or would be at another try. */
const UNSURE =
	/Socket timed out|Unable to contact|onnection|Zero Bytes|temporarily|not respond|Transport|[Aa]uthenticat|[Mm]unge|standby|timed out/;

/** @param sbatch the user's options: where a job runs, and with what */
export function slurm(sbatch: readonly string[]): Engine {
	const ofUser = `--user=${userInfo().username}`;
	const call = (...words: readonly string[]) => callWith('', ...words);
	const callWith = async (input: string, ...words: readonly string[]) => {
		const { code, output, complaint } = await callEngine(words, environment(), input);
		if (code !== 0) throw noAnswer(complaint);
		return output;
	};
	return {
		title: 'Slurm',
		key: `slurm ${process.env['SLURM_CONF'] ?? ''}`,
		listingMs: 0,
		missing: () =>
			['sbatch', 'squeue', 'scancel'].every(name => programOf(name) !== undefined)
				? undefined
				: 'a login shell there finds no sbatch: it is no login host of a Slurm cluster',
		async jobs() {
			const all = await call('squeue', '--noheader', '--states=all', ofUser, '--format=%j|%T|%r');
			return all.split('\n').flatMap(line => {
				const [name, state, ...reason] = line.trim().split('|');
				return name === undefined || state === undefined ? [] : [jobOf(name, state, reason.join('|'))];
			});
		},
		async submit(submission) {
			const words = ['sbatch', '--parsable', ...argumentsOf(submission, sbatch)];
			const { code, complaint } = await callEngine(words, environment(), submission.script);
			if (code === 0) return undefined;
			if (code === undefined || UNSURE.test(complaint)) throw noAnswer(complaint);
			return complaint;
		},
		cancel: async name => void (await call('scancel', ofUser, `--name=${name}`)),
		// Not every process gets the signal.
		tell: async name => void (await call('scancel', ofUser, `--name=${name}`, '--batch', '--signal=TERM')),
		async pipe(name, file, text) {
			const [job] = (
				await call('squeue', '--noheader', '--states=RUNNING', ofUser, `--name=${name}`, '--format=%A')
			).split('\n');
			if (!job) throw noAnswer(`it shows no running job ${name}`);
			// The job's own machine is the first one. Such a step has no PATH.
			const step = [`--jobid=${job}`, '--overlap', '--export=NONE', '--nodes=1', '--ntasks=1', '--relative=0'];
			// Whoever waits for them removes the pipe: no shell makes a file in its place.
			const write = '[ -p "$0" ] || exit 0; exec /bin/dd of="$0" conv=nocreat,notrunc status=none';
			await callWith(text, 'srun', ...step, '/bin/sh', '-c', write, file);
		},
	};
}

/** `TIMEOUT, TimeLimit` */
function jobOf(name: string, state: string, reason: string): QueuedJob {
	const hasReason = reason !== '' && reason !== 'None';
	const words = hasReason ? `${state}, ${reason}` : state;
	if (state === 'COMPLETED') return { name, is: 'ended', says: '' };
	if (ENDED.has(state)) return { name, is: 'ended', says: words };
	if (state !== 'PENDING') return { name, is: 'running', says: state };
	return { name, is: 'queued', says: hasReason ? reason : state, isHopeless: HOPELESS.test(reason) };
}

/** The last of an option counts. `--export=ALL`, the default, writes the whole environment to a disk of the cluster. */
function argumentsOf({ name, folder, output, wallSeconds }: Submission, sbatch: readonly string[]): string[] {
	const file = output.replaceAll('%', '%%');
	return [
		...(limitsTime(sbatch) ? [] : [`--time=${Math.ceil(wallSeconds / 60) + MORE_MINUTES}`]),
		...sbatch,
		'--export=NONE',
		'--no-requeue',
		`--job-name=${name}`,
		`--chdir=${folder}`,
		`--output=${file}`,
		`--error=${file}`,
		'--open-mode=append',
	];
}

function noAnswer(complaint: string): NancyError {
	return new NancyError('timeout', phrase`Slurm does not answer: ${complaint}`);
}

/** Variables of the user's that would hide jobs, or make a submission another kind of call. */
function environment(): NodeJS.ProcessEnv {
	const own = /^(?:SQUEUE_|SCANCEL_|SBATCH_(?:ARRAY_INX|CLUSTERS|WAIT|TEST_ONLY)$)/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !own.test(name)));
}
