import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import { theWorker } from '../../core/workspace/named.ts';
import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import type { MessageState } from '../../core/mailbox/mailboxPaths.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { MessageId, TaskName, WorkerName } from '../../protocol/names.ts';

/** A message, and whose mailbox it is in. */
export const MessageAt = z.object({ task: TaskName, worker: WorkerName, id: MessageId });
export type MessageAt = z.infer<typeof MessageAt>;

/**
 * @param states where a file's name was used before, its message in the first of these states is meant
 * @throws NancyError `no-message`
 */
export async function storedMessage(
	workspace: Workspace,
	{ id, ...address }: MessageAt,
	states: readonly MessageState[],
): Promise<StoredMessage> {
	const { messages } = await workspace.mailbox(address).list(states);
	for (const state of states) {
		const found = messages.find(each => each.id === id && each.state === state);
		if (found) return found;
	}
	throw new NancyError(
		'no-message',
		phrase`there is no message ${id} for ${theWorker(address)}; nancy inbox lists the messages`,
	);
}
