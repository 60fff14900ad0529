import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { clusterOf, hostOf, queueOf, type ExecutorId } from '../protocol/executorId.ts';
import type { PodFields } from '../protocol/podFields.ts';
import type { JobQueue } from '../protocol/remoteJob.ts';
import type { CommonSettings, ExecutorSettings } from '../protocol/settings.ts';
import { forwarded } from './forwarded.ts';
import { Here, type Steps } from './here.ts';
import type { Executor } from './executor.ts';
import { Kubernetes } from './kubernetes.ts';
import { ShellExecutor } from './shellExecutor.ts';
import { Ssh } from './ssh.ts';
import type { Way } from './way.ts';

/** @param steps see {@link Here} */
export function wayTo(on: ExecutorId, steps?: Steps): Way {
	const host = hostOf(on);
	return host === undefined ? new Here(steps) : new Ssh(host);
}

interface Known {
	/** The user's settings. A submission needs them, and an end of a job whose own file does not say which queue it is in. */
	readSettings: () => Promise<CommonSettings>;
	/** In the runner of a delegate. */
	steps?: Steps;
}

/**
 * The machine of an id.
 * @param runtime the installed one
 * @param known needed by whoever submits, ends or cleans up
 */
export function executorAt(on: ExecutorId, runtime: { folder: string; version: string }, known?: Known): Executor {
	const readSettings = async () => (await known?.readSettings()) ?? {};
	const cluster = clusterOf(on);
	if (cluster) return new Kubernetes(cluster, runtime, async () => podNamed(cluster.name, await readSettings()));
	const named = queueOf(on);
	const queue = named && (async () => queueNamed(named, await readSettings()));
	const variables = async () => forwarded(forwardedTo(on, await readSettings()));
	const executor = new ShellExecutor(wayTo(on, known?.steps), runtime, { queue, variables });
	// The runner has a worktree to make first.
	if (known?.steps) executor.shipEarly();
	return executor;
}

function queueNamed({ type, name }: NonNullable<ReturnType<typeof queueOf>>, settings: CommonSettings): JobQueue {
	const named = settingsOf(name, settings);
	if (named?.type === 'slurm' && type === 'slurm') return { type, sbatch: named.sbatch ?? [] };
	if (named?.type === 'command' && type === 'command') return { ...named, type };
	throw notNamed(name, type);
}

/** The names of the variables for an agent there. */
function forwardedTo(on: ExecutorId, settings: CommonSettings): readonly string[] | undefined {
	const queue = queueOf(on);
	if (queue) {
		const named = settingsOf(queue.name, settings);
		return named?.type === 'slurm' ? named.forwardEnv : undefined;
	}
	const host = hostOf(on);
	return host === undefined ? undefined : sshNamed(host, settings)?.forwardEnv;
}

/** A host may be in nobody's settings. */
function sshNamed(host: string, { executors = {} }: CommonSettings) {
	for (const each of Object.values(executors)) if (each.type === 'ssh' && each.host === host) return each;
	return undefined;
}

function podNamed(name: string, settings: CommonSettings): PodFields {
	const named = settingsOf(name, settings);
	if (named?.type === 'k8s') return named;
	throw notNamed(name, 'k8s');
}

function settingsOf(name: string, { executors = {} }: CommonSettings): ExecutorSettings | undefined {
	return Object.hasOwn(executors, name) ? executors[name] : undefined;
}

function notNamed(name: string, type: ExecutorSettings['type']): NancyError {
	return new NancyError(
		'bad-usage',
		phrase`"executors" of your settings name no ${name} of the type "${type}" any more`,
	);
}
