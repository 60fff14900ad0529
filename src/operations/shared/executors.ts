import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { ExecutorId } from '../../protocol/executorId.ts';
import type { CommonSettings, ExecutorSettings } from '../../protocol/settings.ts';

/**
 * The machine of a name in the user's settings, of an id that one of them has, or of `ssh:<host>`.
 * @throws NancyError `bad-usage` for a machine that the user has not named
 */
export function executorNamed(name: string, settings: CommonSettings): ExecutorId {
	const [named, other] = entriesOf(name, settings);
	const id = ExecutorId.safeParse(named?.id ?? (name.startsWith('ssh:') ? name : undefined));
	if (other)
		throw new NancyError(
			'bad-usage',
			phrase`two entries of "executors" in your settings.json are ${other.id}; leave one of them`,
		);
	if (id.success) return id.data;
	if (named)
		throw new NancyError(
			'bad-usage',
			phrase`a cluster cannot be named ${JSON.stringify(name)}; take letters, digits, "." and "-" in "executors" of your settings.json`,
		);
	throw new NancyError(
		'bad-usage',
		phrase`no machine is named ${JSON.stringify(name)}; give ssh:<host>, or name it in "executors" of "delegates" in your settings.json`,
	);
}

/** All entries of the machine that has this name, or this id. */
export function entriesOf(name: string, { executors = {} }: CommonSettings) {
	const known = Object.entries(executors).map(([each, entry]) => ({
		name: each,
		id: executorIdOf(each, entry),
		entry,
	}));
	const id = known.find(each => each.name === name)?.id ?? name;
	return known.filter(each => each.id === id);
}

/** The id of a machine of the user's settings. It is no {@link ExecutorId} if its name is none for a queue. */
export function executorIdOf(name: string, settings: ExecutorSettings): string {
	if (settings.type === 'ssh') return `ssh:${settings.host}`;
	if (settings.type === 'k8s') {
		const { namespace, context } = settings;
		return `k8s:${name}${namespace === undefined ? '' : `:${namespace}`}@${context}`;
	}
	return `${settings.type}:${name}${settings.via === undefined ? '' : `@${settings.via.slice('ssh:'.length)}`}`;
}
