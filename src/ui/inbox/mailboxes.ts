import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import type { Folder } from '../ports.ts';
import { YOU, type Owned } from './conversation.ts';
import { MailItem, MessageItem } from './inboxItems.ts';
import type { Box } from './shownMessages.ts';

/** A mailbox of a folder. */
export interface Mailbox extends Box, Owned {
	readonly folder: Folder;
	readonly address: WorkerAddress;
}

/** Those of a folder's tasks that are not archived, or of all. */
export function mailboxesOf(folder: Folder, isAll: boolean): Mailbox[] {
	return folder
		.overview()
		.tasks.filter(({ record }) => isAll || record.archivedAt === undefined)
		.flatMap(({ record: { name: task }, workers }) =>
			[ORCHESTRATOR, ...workers.map(({ record }) => record.name)].map(worker => {
				const address = { task, worker };
				const isOwn = worker === ORCHESTRATOR;
				const owner = isOwn ? YOU : `${task}/${worker}`;
				return { folder, address, listing: folder.messages(address), isOwn, owner };
			}),
		);
}

export function itemOf({ folder, address, isOwn }: Mailbox, message: StoredMessage): MailItem | MessageItem {
	return isOwn ? new MailItem(folder, address.task, message) : new MessageItem(folder, address, message);
}
