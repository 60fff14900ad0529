import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { ExecutorId } from '../../protocol/executorId.ts';
import type { CommonSettings } from '../../protocol/settings.ts';

/**
 * The machine of a name in the user's settings, or of `ssh:<host>`.
 * @throws NancyError `bad-usage` for a machine that the user has not named
 */
export function executorNamed(name: string, { executors = {} }: CommonSettings): ExecutorId {
	const known = Object.hasOwn(executors, name) ? executors[name] : undefined;
	const id = ExecutorId.safeParse(known ? `ssh:${known.host}` : name);
	if (id.success) return id.data;
	throw new NancyError(
		'bad-usage',
		phrase`no machine is named ${JSON.stringify(name)}; give ssh:<host>, or name it in "executors" of "delegates" in your settings.json`,
	);
}
