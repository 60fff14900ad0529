import * as vscode from 'vscode';
import type { LimitOf } from '../../core/mailbox/held.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import type { Folders } from '../folders.ts';
import { elementOf, LiveTree } from '../kit/liveTree.ts';
import { ProblemItem } from '../kit/problemItem.ts';
import type { Row } from '../kit/row.ts';
import type { Folder, Operations } from '../ports.ts';
import { inOrder } from '../tasks/taskOrder.ts';
import {
	GroupItem,
	groupOf,
	groups,
	inGroup,
	isUnread,
	MailboxItem,
	MailGroup,
	MailItem,
	MessageItem,
	type InboxElement,
} from './inboxItems.ts';
import { groupItem, mailboxItem, mailGroupItem, mailItem, messageItem, messageTooltip } from './inboxRows.ts';
import { queueOf, reorder } from './queueOrder.ts';

/** VS Code makes this type from the view's id; extension.ts names it too. */
const DRAG_TYPE = 'application/vnd.code.tree.nancy.inbox';

const TICK_MS = 10_000;

/** The human's mail first, then each worker's mailbox. */
export class InboxView extends LiveTree<InboxElement> {
	constructor(
		private readonly folders: Folders,
		private readonly operations: Operations,
		view: vscode.TreeView<unknown>,
		private readonly limitOf: LimitOf,
	) {
		super(view, TICK_MS, folders.onDidChange);
	}

	protected childrenOf(parent: InboxElement | undefined): InboxElement[] {
		if (parent === undefined) return [...this.mail(), ...this.folders.list().flatMap(mailboxesOf)];
		if (parent instanceof MailGroup) return [...parent.mail];
		if (parent instanceof MailboxItem) {
			return [
				...parent.problems.map(problem => new ProblemItem(problem)),
				...groups
					.map(group => new GroupItem(parent, group, inGroup(parent.messages, group)))
					.filter(({ messages }) => messages.length > 0),
			];
		}
		if (parent instanceof GroupItem) {
			const { folder, address } = parent.mailbox;
			return parent.messages.map(message => new MessageItem(folder, address, message));
		}
		return [];
	}

	protected itemOf(element: InboxElement): Row {
		if (element instanceof MailItem) return mailItem(element);
		if (element instanceof MessageItem) return messageItem(element, this.limitOf);
		if (element instanceof MailGroup) return mailGroupItem(element);
		if (element instanceof MailboxItem) return mailboxItem(element);
		return element instanceof GroupItem ? groupItem(element) : element.treeItem();
	}

	protected hoverOf(element: InboxElement): vscode.MarkdownString | undefined {
		return element instanceof MailItem || element instanceof MessageItem
			? messageTooltip(element, this.limitOf)
			: undefined;
	}

	drag(source: readonly unknown[], data: vscode.DataTransfer): void {
		const moved = source
			.map(elementOf)
			.filter(each => each instanceof MessageItem && each.message.state === 'queued');
		if (moved.length > 0) data.set(DRAG_TYPE, new vscode.DataTransferItem(moved));
	}

	/** Puts the dragged messages before the one they were dropped on. Dropped on the group, they go to its end. */
	async drop(onto: unknown, data: vscode.DataTransfer): Promise<void> {
		const target = elementOf(onto);
		const value: unknown = data.get(DRAG_TYPE)?.value;
		const moved = (Array.isArray(value) ? value : []).filter(each => each instanceof MessageItem);
		const [first] = moved;
		if (!first || !vscode.workspace.isTrusted) return;
		const here =
			target instanceof MessageItem
				? target.address
				: target instanceof GroupItem
					? target.mailbox.address
					: undefined;
		// A message was written for one worker: it is moved in its queue, never to another's.
		if (here?.task !== first.address.task || here.worker !== first.address.worker) return;
		const ids = moved.map(each => each.message.id);
		const rest = queueOf(first).filter(id => !ids.includes(id));
		const before = target instanceof MessageItem ? rest.indexOf(target.message.id) : -1;
		await reorder(this.operations, first, rest.toSpliced(before === -1 ? rest.length : before, 0, ...ids));
	}

	private mail(): InboxElement[] {
		const all = this.folders.list().flatMap(folder =>
			folder.overview().tasks.flatMap(({ record }) => {
				const mine = folder.messages({ task: record.name, worker: ORCHESTRATOR });
				return mine.messages.map(message => new MailItem(folder, record.name, message));
			}),
		);
		const newest = all.toSorted((a, b) => (a.message.id < b.message.id ? 1 : -1));
		const current = newest.filter(({ message }) => groupOf[message.state] !== 'archived');
		const archived = newest.filter(({ message }) => message.state === 'archived');
		const unreadFirst = current.toSorted((a, b) => Number(isUnread(b)) - Number(isUnread(a)));
		return [
			...(unreadFirst.length > 0 ? [new MailGroup('new', unreadFirst)] : []),
			...(archived.length > 0 ? [new MailGroup('archived', archived)] : []),
		];
	}
}

function mailboxesOf(folder: Folder): MailboxItem[] {
	return inOrder(folder.overview().tasks).flatMap(task =>
		task.workers.flatMap(({ record }) => {
			const address = { task: record.task, worker: record.name };
			const { messages, problems } = folder.messages(address);
			return messages.length + problems.length === 0
				? []
				: [new MailboxItem(folder, address, messages, problems)];
		}),
	);
}
