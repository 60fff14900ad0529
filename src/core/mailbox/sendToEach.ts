import { errorText } from '../../base/errors.ts';
import type { Author } from '../../protocol/author.ts';
import type { Words, WorkerAddress, Workspace } from '../workspace/workspace.ts';

/** Somebody whom a message is for. */
export interface Addressee {
	folder: { workspace: Workspace };
	address: WorkerAddress;
}

/**
 * Queues a message for each of them, whatever becomes of the others. Returns those whom it is not queued for, so that nobody
 * gets it twice when it is sent to these again.
 */
export async function sendToEach<T extends Addressee>(
	to: readonly T[],
	content: Words,
	author: Author,
): Promise<{ to: T; reason: string }[]> {
	const failed: { to: T; reason: string }[] = [];
	for (const each of to) {
		try {
			await each.folder.workspace.send(each.address, content, author);
		} catch (error) {
			failed.push({ to: each, reason: errorText(error) });
		}
	}
	return failed;
}
