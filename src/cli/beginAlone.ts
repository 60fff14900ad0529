import { existsSync } from 'node:fs';
import { NancyError } from '../base/errors.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { openDelegate } from '../core/delegates/swarmRun.ts';
import { Workspace } from '../core/workspace/workspace.ts';
import { endDead } from '../delegates/delegateQueue.ts';
import { refuseTracked } from '../git/refuseTracked.ts';
import type { SwarmFeature } from '../protocol/delegate.ts';
import type { Context } from './command.ts';
import { ticketsOf } from './queue.ts';

export interface SwarmWorker {
	folder: string;
	feature: SwarmFeature;
}

/**
 * Begins a run as this worker of a swarm. A delegate that was it and whose runner was killed is ended first: whoever looks at that
 * later would write over the files of this run.
 * @throws NancyError `busy` where a delegate of the same folder is that worker and has not ended, though it may not have begun
 */
export async function beginAlone(
	{ folder, feature }: SwarmWorker,
	context: Context,
	begin: () => Promise<void>,
): Promise<void> {
	const delegates = new Delegates(new Workspace(folder));
	// No folder becomes a workspace by a run.
	if (!existsSync(delegates.folder)) return begin();
	await delegates.locked(async () => {
		const found = await openDelegate(delegates, feature);
		if (found) {
			await refuseTracked(delegates.workspace);
			await endDead(delegates, ticketsOf(context, delegates.workspace), found);
		}
		const other = found && (await openDelegate(delegates, feature));
		if (other) {
			throw new NancyError(
				'busy',
				`the delegate ${other.record.id} is the swarm's worker ${feature} and has not ended (see nancy delegates); give this run its prompt in a file of another name`,
			);
		}
		await begin();
	});
}
