import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { ExecutorId } from '../../protocol/executorId.ts';
import type { CommonSettings, ExecutorSettings } from '../../protocol/settings.ts';

/**
 * The machine of a name in the user's settings, or of `ssh:<host>`.
 * @throws NancyError `bad-usage` for a machine that the user has not named
 */
export function executorNamed(name: string, { executors = {} }: CommonSettings): ExecutorId {
	const known = Object.hasOwn(executors, name) ? executors[name] : undefined;
	// A cluster is known by the user's settings alone.
	const id = known ? executorIdOf(name, known) : name.startsWith('ssh:') ? name : undefined;
	const parsed = ExecutorId.safeParse(id);
	if (parsed.success) return parsed.data;
	if (known)
		throw new NancyError(
			'bad-usage',
			phrase`a Slurm cluster cannot be named ${JSON.stringify(name)}; take letters, digits, "." and "-" in "executors" of your settings.json`,
		);
	throw new NancyError(
		'bad-usage',
		phrase`no machine is named ${JSON.stringify(name)}; give ssh:<host>, or name it in "executors" of "delegates" in your settings.json`,
	);
}

/** The id of a machine of the user's settings. It is no {@link ExecutorId} if its name is none for a cluster. */
export function executorIdOf(name: string, settings: ExecutorSettings): string {
	if (settings.type === 'ssh') return `ssh:${settings.host}`;
	return `slurm:${name}${settings.via === undefined ? '' : `@${settings.via.slice('ssh:'.length)}`}`;
}
