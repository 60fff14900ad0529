import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import { ORCHESTRATOR, type TaskName } from '../../protocol/names.ts';
import type { ProblemItem } from '../kit/problemItem.ts';
import type { Folder } from '../ports.ts';
import { isTwin } from './shownMessages.ts';

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

/** It stays while the message goes from state to state, so that its row keeps the focus. Only of twins it tells the state. */
export function keyOf({ folder, address, message: { id, state } }: MailItem | MessageItem): string {
	const key = `${boxKey(folder, address)}/${id}`;
	return isTwin(folder.messages(address), id) ? `${key}/${state}` : key;
}

/** The key of the mailbox. */
export function boxKey(folder: Pick<Folder, 'path'>, address: WorkerAddress): string {
	return `${folder.path}//${mailboxName(address)}`;
}

export function isUnread({ message }: MailItem): boolean {
	return message.state === 'queued';
}
