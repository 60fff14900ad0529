import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { hostOf, queueOf, type ExecutorId } from '../protocol/executorId.ts';
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
	const named = queueOf(on);
	const queue = named && (async () => queueNamed(named, (await submitting?.readSettings()) ?? {}));
	const executor = new ShellExecutor(wayTo(on, submitting?.steps), runtime, queue);
	// The runner has a worktree to make first.
	if (submitting) executor.shipEarly();
	return executor;
}

function queueNamed(
	{ type, name }: NonNullable<ReturnType<typeof queueOf>>,
	{ executors = {} }: CommonSettings,
): JobQueue {
	const named = Object.hasOwn(executors, name) ? executors[name] : undefined;
	if (named?.type === 'slurm' && type === 'slurm') return { type, sbatch: named.sbatch ?? [] };
	if (named?.type === 'command' && type === 'command') return { ...named, type };
	throw new NancyError(
		'bad-usage',
		phrase`"executors" of your settings name no ${name} of the type "${type}" any more`,
	);
}
