import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { heldText, type LimitOf } from '../../core/mailbox/held.ts';
import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import type { MessageState } from '../../core/mailbox/mailboxPaths.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { MessageId } from '../../protocol/names.ts';
import { ORCHESTRATOR, type TaskName } from '../../protocol/names.ts';
import { formatAgeInSteps, formatTime } from '../kit/format.ts';
import type { Folders } from '../folders.ts';
import type { Folder, Operations } from '../ports.ts';
import { elementOf, LiveTree } from '../kit/liveTree.ts';
import { ProblemItem } from '../kit/problemItem.ts';
import { row, type Row } from '../kit/row.ts';
import { inOrder } from '../tasks/taskOrder.ts';
import { tooltip, withText } from '../kit/tooltip.ts';
import { addressWords, authorWords, kindWord, messageLine, rungWords, stateWord, subjectOf } from '../words.ts';

/** Messages for the human. */
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

class MailGroup {
	constructor(
		readonly state: 'new' | 'archived',
		readonly mail: readonly MailItem[],
	) {}
}

class MailboxItem {
	constructor(
		readonly folder: Folder,
		readonly address: WorkerAddress,
		readonly messages: readonly StoredMessage[],
		readonly problems: readonly { file: string; reason: string }[],
	) {}
}

/** The states of a message as its reader groups them: what is being handed over has not arrived yet. */
type Group = 'queued' | 'delivered' | 'archived' | 'withdrawn';

class GroupItem {
	constructor(
		readonly mailbox: MailboxItem,
		readonly group: Group,
		readonly messages: readonly StoredMessage[],
	) {}
}

export type InboxElement = MailItem | MessageItem | MailGroup | MailboxItem | GroupItem | ProblemItem;

const groupOf: Readonly<Record<MessageState, Group>> = {
	queued: 'queued',
	claimed: 'queued',
	delivered: 'delivered',
	archived: 'archived',
	withdrawn: 'withdrawn',
};
const groups: readonly Group[] = ['queued', 'delivered', 'archived', 'withdrawn'];
const groupIcon: Readonly<Record<Group, string>> = {
	queued: 'clock',
	delivered: 'check',
	archived: 'archive',
	withdrawn: 'circle-slash',
};

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

	/** Puts what was dragged before the message it was dropped on, or at the end of the group. */
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

/** Moves a queued message one place up or down. */
export async function move(operations: Operations, item: MessageItem, by: -1 | 1): Promise<void> {
	const queue = queueOf(item);
	const from = queue.indexOf(item.message.id);
	const to = from + by;
	if (from === -1 || to < 0 || to >= queue.length) return;
	await reorder(operations, item, queue.toSpliced(from, 1).toSpliced(to, 0, item.message.id));
}

async function reorder(
	operations: Operations,
	{ folder, address }: MessageItem,
	order: readonly MessageId[],
): Promise<void> {
	await operations.reorder(folder, address, order);
	await folder.refresh();
}

function queueOf({ folder, address }: MessageItem): MessageId[] {
	return folder
		.messages(address)
		.messages.filter(({ state }) => state === 'queued')
		.map(({ id }) => id);
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

function inGroup(messages: readonly StoredMessage[], group: Group): StoredMessage[] {
	return messages.filter(({ state }) => groupOf[state] === group);
}

export function isUnread({ message }: MailItem): boolean {
	return message.state === 'queued';
}

function mailGroupItem({ state, mail }: MailGroup): Row {
	const unread = mail.filter(isUnread).length;
	const isNew = state === 'new';
	const item = row(
		`mail.${state}`,
		isNew ? l10n.t('For You') : l10n.t('For You, Archived'),
		isNew ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
	);
	item.contextValue = 'group';
	item.iconPath = new vscode.ThemeIcon(isNew ? 'inbox' : 'archive');
	item.description = unread > 0 ? l10n.t('{0} unread', unread) : String(mail.length);
	item.accessibilityInformation = { label: `${labelOf(item)}, ${item.description}` };
	return item;
}

function mailItem(element: MailItem): Row {
	const { folder, task, message } = element;
	const subject = subjectOf(message.content);
	const unread = isUnread(element);
	const item = row(`${folder.path}//${task}/${ORCHESTRATOR}/${message.id}`, subject);
	item.contextValue = unread ? 'mail.unread' : message.state === 'archived' ? 'mail.archived' : 'mail.read';
	item.iconPath = unread
		? new vscode.ThemeIcon('circle-filled', new vscode.ThemeColor('charts.blue'))
		: new vscode.ThemeIcon('mail-read');
	const age = ageOf(message.id);
	item.description = [authorWords(message.author), age].filter(Boolean).join(' · ');
	item.command = { command: 'nancy.openMessage', title: l10n.t('Open File'), arguments: [element] };
	item.accessibilityInformation = {
		label: [
			unread ? l10n.t('Unread message') : l10n.t('Message'),
			l10n.t('from {0}', authorWords(message.author)),
			subject,
			age,
		]
			.filter(Boolean)
			.join(', '),
	};
	return item;
}

function mailboxItem({ folder, address, messages }: MailboxItem): Row {
	const current = inGroup(messages, 'queued').length + inGroup(messages, 'delivered').length;
	const item = row(
		`${folder.path}//${address.task}/${address.worker}`,
		addressWords(address),
		current > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
	);
	item.contextValue = 'mailbox';
	item.iconPath = new vscode.ThemeIcon('mail');
	item.description = groups
		.map(group => ({ group, count: inGroup(messages, group).length }))
		.filter(({ count }) => count > 0)
		.map(({ group, count }) => `${count} ${stateWord(group)}`)
		.join(' · ');
	item.accessibilityInformation = { label: l10n.t('Mailbox of {0}, {1}', addressWords(address), item.description) };
	return item;
}

function groupItem({ mailbox, group, messages }: GroupItem): Row {
	const { folder, address } = mailbox;
	const isOpen = group === 'queued' || group === 'delivered';
	const word = stateWord(group);
	const item = row(
		`${folder.path}//${address.task}/${address.worker}/${group}`,
		capitalized(word),
		isOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
	);
	item.contextValue = 'group';
	item.iconPath = new vscode.ThemeIcon(groupIcon[group]);
	item.description = String(messages.length);
	item.accessibilityInformation = {
		label: l10n.t('{0} for {1}: {2}', labelOf(item), addressWords(address), messages.length),
	};
	return item;
}

function messageItem(element: MessageItem, limitOf: LimitOf): Row {
	const { folder, address, message } = element;
	const subject = subjectOf(message.content);
	const item = row(`${folder.path}//${address.task}/${address.worker}/${message.id}/${message.state}`, subject);
	item.contextValue = `message.${message.state}`;
	item.iconPath = messageIcon(message);
	item.description = messageLine(message, limitOf);
	item.command = { command: 'nancy.openMessage', title: l10n.t('Open File'), arguments: [element] };
	item.accessibilityInformation = {
		label: `${l10n.t('{0} for {1}', kindWord(message.content.kind), addressWords(address))}, ${subject}, ${item.description}`,
	};
	return item;
}

function messageIcon({ state, content, held, receipt }: StoredMessage): vscode.ThemeIcon {
	if (held !== undefined && state === 'queued')
		return new vscode.ThemeIcon('debug-pause', new vscode.ThemeColor('list.warningForeground'));
	if (state === 'queued' && content.priority === 'urgent')
		return new vscode.ThemeIcon('flame', new vscode.ThemeColor('list.warningForeground'));
	if (state === 'claimed') return new vscode.ThemeIcon('sync~spin');
	// One tick: handed over. Two: the conversation shows it.
	if (state === 'delivered') {
		const isRead = receipt?.inContextAt !== undefined;
		return new vscode.ThemeIcon(isRead ? 'check-all' : 'check', new vscode.ThemeColor('charts.green'));
	}
	return new vscode.ThemeIcon(state === 'queued' ? 'circle-outline' : groupIcon[groupOf[state]]);
}

function messageTooltip(element: MailItem | MessageItem, limitOf: LimitOf): vscode.MarkdownString {
	const { message } = element;
	const { content, receipt } = message;
	const to = addressWords(element.address);
	const hover = tooltip(capitalized(l10n.t('{0} to {1}', kindWord(content.kind), to)), [
		[l10n.t('From'), authorWords(message.author)],
		[l10n.t('State'), stateWord(message.state)],
		[l10n.t('Held'), message.held && heldText(message.held, limitOf)],
		[l10n.t('Priority'), content.priority === 'urgent' ? l10n.t('urgent') : undefined],
		[l10n.t('Effect'), content.effect === 'none' ? undefined : content.effect],
		[l10n.t('Delivered'), receipt && new Date(receipt.deliveredAt).toLocaleString()],
		[l10n.t('At event'), receipt && [receipt.event, receipt.tool].filter(Boolean).join(' ')],
		[l10n.t('How'), receipt && rungWords(receipt.rung)],
		[l10n.t('Session'), receipt?.session],
		[
			l10n.t('In context'),
			receipt &&
				(receipt.inContextAt === undefined
					? l10n.t('not seen in the transcript yet')
					: formatTime(receipt.inContextAt)),
		],
		[
			l10n.t('Earlier tries'),
			receipt && receipt.earlierClaims > 0
				? l10n.t('{0}: the agent may have read it twice', receipt.earlierClaims)
				: undefined,
		],
		[l10n.t('File'), message.file],
	]);
	return withText(hover, content.text);
}

/** How old a message is, where its id tells: those that people drop by hand may be called anything. */
function ageOf(id: MessageId): string | undefined {
	const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/.exec(id);
	if (!match) return undefined;
	const [, year, month, day, hour, minute, second] = match;
	return formatAgeInSteps(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function labelOf({ label }: vscode.TreeItem): string {
	return typeof label === 'string' ? label : '';
}

function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
