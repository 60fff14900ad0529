import { liveness, type ProcessIdentity } from '../../base/liveness.ts';
import type { SwarmFeature } from '../../protocol/delegate.ts';
import { isFinal, type Delegate } from './delegate.ts';
import type { Delegates } from './delegates.ts';
import { swarmWorkers } from './swarm.ts';

/**
 * The living process that has the files of this worker of a swarm: a `nancy run`, another program's that says so, or a delegate's runner.
 * Its files must be neither overwritten nor deleted.
 */
export async function liveSwarmRun(folder: string, feature: SwarmFeature): Promise<ProcessIdentity | undefined> {
	const workers = await swarmWorkers(folder, new Set());
	const found = workers.find(({ record, state }) => record.title === feature && state === 'running');
	const runner = found?.status.runner;
	return runner && liveness(runner) !== 'dead' ? runner : undefined;
}

/** The unfinished delegate that is this worker of a swarm, even while it only waits: its runner will write the files. */
export async function openDelegate(delegates: Delegates, feature: SwarmFeature): Promise<Delegate | undefined> {
	const { delegates: all } = await delegates.list();
	return all.find(({ record, state }) => record.swarm?.feature === feature && !isFinal(state));
}
