import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import { ORCHESTRATOR, type TaskName } from '../../protocol/names.ts';
import type { ProblemItem } from '../kit/problemItem.ts';
import type { Folder } from '../ports.ts';

/** A message for the human. */
export class MailItem {
	constructor(
		readonly folder: Folder,
		readonly task: TaskName,
		readonly message: StoredMessage,
	) {}

	get address(): WorkerAddress {
		return { task: this.task, worker: ORCHESTRATOR };
	}
}

/** A message for a worker. */
export class MessageItem {
	constructor(
		readonly folder: Folder,
		readonly address: WorkerAddress,
		readonly message: StoredMessage,
	) {}
}

/** Stands below the last message, where there are older ones. */
export class MoreItem {
	constructor(
		readonly count: number,
		/** How many of them are unread or wait for an agent. */
		readonly open: number,
	) {}
}

export type InboxElement = MailItem | MessageItem | MoreItem | ProblemItem;

export function isUnread({ message }: MailItem): boolean {
	return message.state === 'queued';
}
