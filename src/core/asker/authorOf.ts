import type { SealedAuthor } from '../../protocol/author.ts';
import { mailboxName } from '../workspace/mailboxName.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';
import type { Asker } from './asker.ts';

/** The asker's own mailbox: an agent has one if Nancy knows which worker it is. */
export function ownAddress(asker: Asker): WorkerAddress | undefined {
	return asker.is === 'agent' ? asker.worker?.address : undefined;
}

/** The author of a message that the asker sends. */
export function authorOf(asker: Asker): SealedAuthor {
	if (asker.is === 'human') return { is: 'human', via: asker.via };
	const { worker, driver } = asker;
	return { is: 'agent', ...(worker && { worker: mailboxName(worker.address) }), ...(driver && { driver }) };
}
