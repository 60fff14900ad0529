import { errorText } from '../../base/errors.ts';
import type { Author } from '../../protocol/author.ts';
import type { Words, WorkerAddress, Workspace } from '../workspace/workspace.ts';

/** A recipient of a message. */
export interface Addressee {
	folder: { workspace: Workspace };
	address: WorkerAddress;
}

/**
 * Queues a message for each recipient, whatever happens to the others. Returns the failed ones, so that a second try sends nobody the
 * message twice.
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
