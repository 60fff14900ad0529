import { errorText } from '../../base/errors.ts';
import type { MessageContent } from '../../protocol/message.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

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
	content: MessageContent,
): Promise<{ to: T; reason: string }[]> {
	const failed: { to: T; reason: string }[] = [];
	for (const each of to) {
		try {
			await each.folder.workspace.send(each.address, content);
		} catch (error) {
			failed.push({ to: each, reason: errorText(error) });
		}
	}
	return failed;
}
