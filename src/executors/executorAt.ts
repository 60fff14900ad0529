import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { clusterOf, hostOf, type ExecutorId } from '../protocol/executorId.ts';
import type { JobQueue } from '../protocol/remoteJob.ts';
import type { CommonSettings } from '../protocol/settings.ts';
import { Here } from './here.ts';
import { ShellExecutor } from './shellExecutor.ts';
import { Ssh } from './ssh.ts';
import type { Way } from './way.ts';

export function wayTo(on: ExecutorId): Way {
	const host = hostOf(on);
	return host === undefined ? new Here() : new Ssh(host);
}

/**
 * The machine of an id.
 * @param runtime the installed one
 * @param readSettings the user's, which only a submission needs
 */
export function executorAt(
	on: ExecutorId,
	runtime: { folder: string; version: string },
	readSettings: () => Promise<CommonSettings> = () => Promise.resolve({}),
): ShellExecutor {
	const name = clusterOf(on);
	const queue = name === undefined ? undefined : async () => queueNamed(name, await readSettings());
	return new ShellExecutor(wayTo(on), runtime, queue);
}

function queueNamed(name: string, { executors = {} }: CommonSettings): JobQueue {
	const named = Object.hasOwn(executors, name) ? executors[name] : undefined;
	if (named?.type === 'slurm') return { type: 'slurm', sbatch: named.sbatch ?? [] };
	throw new NancyError(
		'bad-usage',
		phrase`no Slurm cluster is named ${name} any more in "executors" of your settings`,
	);
}
