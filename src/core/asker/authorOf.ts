import type { SealedAuthor } from '../../protocol/author.ts';
import { mailboxName } from '../workspace/mailboxName.ts';
import type { WorkerAddress } from '../workspace/workspace.ts';
import type { Asker } from './asker.ts';

/** The mailbox of whoever asks: an agent has one, where Nancy knows which worker it is. */
export function ownAddress(asker: Asker): WorkerAddress | undefined {
	return asker.is === 'agent' ? asker.worker?.address : undefined;
}

/** Whose words a message of the one who asks is. */
export function authorOf(asker: Asker): SealedAuthor {
	if (asker.is === 'human') return { is: 'human', via: asker.via };
	const { worker, driver } = asker;
	return { is: 'agent', ...(worker && { worker: mailboxName(worker.address) }), ...(driver && { driver }) };
}
