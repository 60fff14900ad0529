import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { clusterOf, hostOf, type ExecutorId } from '../protocol/executorId.ts';
import type { JobQueue } from '../protocol/remoteJob.ts';
import type { CommonSettings } from '../protocol/settings.ts';
import { Here, type Steps } from './here.ts';
import { ShellExecutor } from './shellExecutor.ts';
import { Ssh } from './ssh.ts';
import type { Way } from './way.ts';

/** @param steps see {@link Here} */
export function wayTo(on: ExecutorId, steps?: Steps): Way {
	const host = hostOf(on);
	return host === undefined ? new Here(steps) : new Ssh(host);
}

interface Submitting {
	/** The user's settings. Only a submission needs them. */
	readSettings: () => Promise<CommonSettings>;
	steps: Steps;
}

/**
 * The machine of an id.
 * @param runtime the installed one
 * @param submitting in the runner of a delegate
 */
export function executorAt(
	on: ExecutorId,
	runtime: { folder: string; version: string },
	submitting?: Submitting,
): ShellExecutor {
	const name = clusterOf(on);
	const queue = async (cluster: string) => queueNamed(cluster, (await submitting?.readSettings()) ?? {});
	return new ShellExecutor(wayTo(on, submitting?.steps), runtime, name === undefined ? undefined : () => queue(name));
}

function queueNamed(name: string, { executors = {} }: CommonSettings): JobQueue {
	const named = Object.hasOwn(executors, name) ? executors[name] : undefined;
	if (named?.type === 'slurm') return { type: 'slurm', sbatch: named.sbatch ?? [] };
	throw new NancyError(
		'bad-usage',
		phrase`no Slurm cluster is named ${name} any more in "executors" of your settings`,
	);
}
