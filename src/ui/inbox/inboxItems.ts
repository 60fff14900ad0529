import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import type { MessageState } from '../../core/mailbox/mailboxPaths.ts';
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

export class MailGroup {
	constructor(
		readonly state: 'new' | 'archived',
		readonly mail: readonly MailItem[],
	) {}
}

export class MailboxItem {
	constructor(
		readonly folder: Folder,
		readonly address: WorkerAddress,
		readonly messages: readonly StoredMessage[],
		readonly problems: readonly { file: string; reason: string }[],
	) {}
}

/** The states of a message as the view groups them. A claimed message has not arrived yet, so it counts as queued. */
export type Group = 'queued' | 'delivered' | 'archived' | 'withdrawn';

export class GroupItem {
	constructor(
		readonly mailbox: MailboxItem,
		readonly group: Group,
		readonly messages: readonly StoredMessage[],
	) {}
}

export type InboxElement = MailItem | MessageItem | MailGroup | MailboxItem | GroupItem | ProblemItem;

export const groupOf: Readonly<Record<MessageState, Group>> = {
	queued: 'queued',
	claimed: 'queued',
	delivered: 'delivered',
	archived: 'archived',
	withdrawn: 'withdrawn',
};
export const groups: readonly Group[] = ['queued', 'delivered', 'archived', 'withdrawn'];
export function inGroup(messages: readonly StoredMessage[], group: Group): StoredMessage[] {
	return messages.filter(({ state }) => groupOf[state] === group);
}

export function isUnread({ message }: MailItem): boolean {
	return message.state === 'queued';
}
