import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { heldText, type LimitOf } from '../../core/mailbox/held.ts';
import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import { ORCHESTRATOR, type MessageId } from '../../protocol/names.ts';
import { formatMinutes, formatTime } from '../kit/format.ts';
import { row, type Row } from '../kit/row.ts';
import { tooltip, withText } from '../kit/tooltip.ts';
import { kindWord, messageLine, messageTime, rungWords, stateWord, subjectOf } from '../words.ts';
import { whoIs, whoWrote } from '../who.ts';
import {
	groupOf,
	groups,
	inGroup,
	isUnread,
	type Group,
	type GroupItem,
	type MailboxItem,
	type MailGroup,
	type MailItem,
	type MessageItem,
} from './inboxItems.ts';

const groupIcon: Readonly<Record<Group, string>> = {
	queued: 'clock',
	delivered: 'check',
	archived: 'archive',
	withdrawn: 'circle-slash',
};

export function mailGroupItem({ state, mail }: MailGroup): Row {
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

export function mailItem(element: MailItem): Row {
	const { folder, task, message } = element;
	const subject = subjectOf(message.content);
	const unread = isUnread(element);
	const item = row(`${folder.path}//${task}/${ORCHESTRATOR}/${message.id}`, subject);
	item.contextValue = unread ? 'mail.unread' : message.state === 'archived' ? 'mail.archived' : 'mail.read';
	item.iconPath = unread
		? new vscode.ThemeIcon('circle-filled', new vscode.ThemeColor('charts.blue'))
		: new vscode.ThemeIcon('mail-read');
	const age = ageOf(message.id);
	item.description = [whoWrote(folder, message.author), age].filter(Boolean).join(' · ');
	item.command = { command: 'nancy.openMessage', title: l10n.t('Open File'), arguments: [element] };
	item.accessibilityInformation = {
		label: [
			unread ? l10n.t('Unread message') : l10n.t('Message'),
			l10n.t('from {0}', whoWrote(folder, message.author)),
			subject,
			age,
		]
			.filter(Boolean)
			.join(', '),
	};
	return item;
}

export function mailboxItem({ folder, address, messages }: MailboxItem): Row {
	const current = inGroup(messages, 'queued').length + inGroup(messages, 'delivered').length;
	const item = row(
		`${folder.path}//${address.task}/${address.worker}`,
		whoIs(folder, address),
		current > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
	);
	item.contextValue = 'mailbox';
	item.iconPath = new vscode.ThemeIcon('mail');
	item.description = groups
		.map(group => ({ group, count: inGroup(messages, group).length }))
		.filter(({ count }) => count > 0)
		.map(({ group, count }) => `${count} ${stateWord(group)}`)
		.join(' · ');
	item.accessibilityInformation = { label: l10n.t('Mailbox of {0}, {1}', whoIs(folder, address), item.description) };
	return item;
}

export function groupItem({ mailbox, group, messages }: GroupItem): Row {
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
		label: l10n.t('{0} for {1}: {2}', labelOf(item), whoIs(folder, address), messages.length),
	};
	return item;
}

export function messageItem(element: MessageItem, limitOf: LimitOf): Row {
	const { folder, address, message } = element;
	const subject = subjectOf(message.content);
	// A move claims a message for a moment. It stays the same row, so that it keeps the focus.
	const item = row(
		`${folder.path}//${address.task}/${address.worker}/${message.id}/${groupOf[message.state]}`,
		subject,
	);
	item.contextValue = `message.${message.state}`;
	item.iconPath = messageIcon(message);
	item.description = messageLine(message, limitOf);
	item.command = { command: 'nancy.openMessage', title: l10n.t('Open File'), arguments: [element] };
	item.accessibilityInformation = {
		label: `${l10n.t('{0} for {1}', kindWord(message.content.kind), whoIs(folder, address))}, ${subject}, ${item.description}`,
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

export function messageTooltip(element: MailItem | MessageItem, limitOf: LimitOf): vscode.MarkdownString {
	const { message } = element;
	const { content, receipt } = message;
	const { folder } = element;
	const to = whoIs(folder, element.address);
	const hover = tooltip(capitalized(l10n.t('{0} to {1}', kindWord(content.kind), to)), [
		[l10n.t('From'), whoWrote(folder, message.author)],
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

function ageOf(id: MessageId): string | undefined {
	const time = messageTime(id);
	return time === undefined ? undefined : formatMinutes(time);
}

function labelOf({ label }: vscode.TreeItem): string {
	return typeof label === 'string' ? label : '';
}

function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
