import type { CommonSettings, ExecutorSettings } from '../../protocol/settings.ts';
import { entriesOf, executorNamed } from './executors.ts';
import { isolationOf } from './isolation.ts';

/**
 * Whether the user has opened the machine of this name, or id, to agents. A queue that this machine submits to has the user's home folder,
 * so it is open only with a sandbox.
 */
export function isOpenToAgents(name: string, settings: CommonSettings): boolean {
	const entries = entriesOf(name, settings).map(({ entry }) => entry);
	if (entries.length === 0 || entries.some(({ fromAgents }) => fromAgents !== true)) return false;
	return !entries.some(isHere) || isolationOf({ on: executorNamed(name, settings) }, settings) !== undefined;
}

function isHere(entry: ExecutorSettings): boolean {
	return (entry.type === 'slurm' || entry.type === 'command') && entry.via === undefined;
}
