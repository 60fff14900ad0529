import type { Delegates } from '../../core/delegates/delegates.ts';
import { lookAtQueue } from '../../delegates/delegateQueue.ts';
import { requireTrust, type OperationContext } from '../operation.ts';
import { queueOptions } from './queueOptions.ts';

type Place = Pick<OperationContext, 'dataFolder' | 'env' | 'isTrusted' | 'readSettings' | 'installRuntime'>;

/** Starts waiting delegates and ends those whose runner was killed, with the user's settings: see {@link lookAtQueue}. */
export async function lookAfterQueue(delegates: Delegates, place: Place): Promise<void> {
	requireTrust(place);
	const { workspace } = delegates;
	const runtime = await place.installRuntime();
	const settings = await place.readSettings(workspace.folder);
	await lookAtQueue(delegates, queueOptions({ ...place, workspace }, runtime, settings));
}
