import type { MessageId } from '../../protocol/names.ts';
import type { Operations } from '../ports.ts';
import type { MessageItem } from './inboxItems.ts';
import { queueOf } from './shownMessages.ts';

/** Moves a queued message one place up or down. */
export async function move(operations: Operations, item: MessageItem, by: -1 | 1): Promise<void> {
	const queue = queueOf(item.folder.messages(item.address));
	const from = queue.indexOf(item.message.id);
	const to = from + by;
	if (from === -1 || to < 0 || to >= queue.length) return;
	await reorder(operations, item, queue.toSpliced(from, 1).toSpliced(to, 0, item.message.id));
}

export async function reorder(
	operations: Operations,
	{ folder, address }: MessageItem,
	order: readonly MessageId[],
): Promise<void> {
	await operations.reorder(folder, address, order);
	await folder.refresh();
}
