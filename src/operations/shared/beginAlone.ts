import { existsSync } from 'node:fs';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theDelegate } from '../../core/workspace/named.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { openDelegate } from '../../core/delegates/swarmRun.ts';
import { Workspace } from '../../core/workspace/workspace.ts';
import { endDead } from '../../delegates/delegateQueue.ts';
import { refuseTracked } from '../../git/refuseTracked.ts';
import type { SwarmFeature } from '../../protocol/delegate.ts';
import type { OperationContext } from '../operation.ts';
import { ticketsOf } from './ticketsOf.ts';

export interface SwarmWorker {
	folder: string;
	feature: SwarmFeature;
}

/**
 * Begins a run as this worker of a swarm. If a delegate had this name and its runner was killed, the delegate is ended first. A later look
 * would otherwise overwrite the files of this run.
 * @throws NancyError `busy` if an unfinished delegate of the same folder has this name, begun or not
 */
export async function beginAlone(
	{ folder, feature }: SwarmWorker,
	{ dataFolder }: Pick<OperationContext, 'dataFolder'>,
	begin: () => Promise<void>,
): Promise<void> {
	const delegates = new Delegates(new Workspace(folder, dataFolder));
	// A run alone makes no folder a workspace.
	if (!existsSync(delegates.folder)) return begin();
	await delegates.locked(async () => {
		const found = await openDelegate(delegates, feature);
		if (found) {
			await refuseTracked(delegates.workspace);
			await endDead(delegates, ticketsOf({ dataFolder, workspace: delegates.workspace }), found);
		}
		const other = found && (await openDelegate(delegates, feature));
		if (other) {
			throw new NancyError(
				'busy',
				phrase`the delegate ${theDelegate(other.record.id)} is the swarm's worker ${feature} and has not ended (see nancy delegates); give this run its prompt in a file of another name`,
			);
		}
		await begin();
	});
}
