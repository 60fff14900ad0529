import * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { LimitOf } from '../../core/mailbox/held.ts';
import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import { messageTime } from '../../core/mailbox/messageId.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import { capitalized, firstLine, formatDateTime, formatMoment, formatTime, shortName } from '../kit/format.ts';
import { row, type Row } from '../kit/row.ts';
import { tooltip, withText } from '../kit/tooltip.ts';
import { effectWord, kindWord, messageLine, stateWord, subjectOf } from '../words.ts';
import { whoIs, whoWrote } from '../who.ts';
import { isUnread, keyOf, MailItem, type MessageItem, type MoreItem } from './inboxItems.ts';
import { queueOf } from './shownMessages.ts';
import { timeline } from './timeline.ts';

/** Letters of a name behind the words of the message. */
const NAME = 18;
/** The same of a name before them: in a sidebar of 240 pixels, a row has about 30. */
const WRITER = 13;

export function mailRow(element: MailItem): Row {
	const { message } = element;
	const unread = isUnread(element);
	const item = row(keyOf(element), headline(element));
	item.contextValue = unread ? 'mail.unread' : message.state === 'archived' ? 'mail.archived' : 'mail.read';
	item.iconPath = unread
		? new vscode.ThemeIcon('circle-filled', new vscode.ThemeColor('charts.blue'))
		: new vscode.ThemeIcon(message.state === 'archived' ? 'archive' : 'mail-read');
	item.description = timeOf(message);
	const kind = unread ? l10n.t('Unread message') : l10n.t('Message');
	const from = l10n.t('from {0}', whoWrote(element.folder, message.author));
	const state = message.state === 'archived' ? stateWord(message.state) : '';
	return opening(item, element, [kind, from, subjectOf(message.content), state, spokenTime(message)]);
}

export function messageRow(element: MessageItem, limitOf: LimitOf): Row {
	const { folder, address, message } = element;
	const { kind, effect, priority } = message.content;
	const item = row(keyOf(element), headline(element));
	item.contextValue = `message.${message.state}`;
	item.iconPath = messageIcon(message);
	item.description = [
		kind === 'result' ? undefined : l10n.t('to {0}', shortName(whoIs(folder, address), NAME)),
		isHeld(message) ? l10n.t('held') : undefined,
		placeInQueue(element),
		kind === 'feedback' ? kindWord(kind) : undefined,
		effectWord(effect),
		priority === 'urgent' ? l10n.t('urgent') : undefined,
		timeOf(message),
	]
		.filter(Boolean)
		.join(' · ');
	const spoken = l10n.t('{0} to {1}', kindWord(kind), whoIs(folder, address));
	const from = message.author.is === 'human' ? '' : l10n.t('from {0}', whoWrote(folder, message.author));
	const line = messageLine(message, limitOf);
	return opening(item, element, [
		capitalized(spoken),
		from,
		subjectOf(message.content),
		line,
		placeInQueue(element),
		spokenTime(message),
	]);
}

export function moreRow({ count, open }: MoreItem): Row {
	const item = row('//more', l10n.t('Show More'));
	item.contextValue = 'more';
	item.iconPath = new vscode.ThemeIcon('ellipsis');
	const older = l10n.t('{0} older', count);
	item.description = open === 0 ? older : l10n.t('{0}, {1} of them unread or waiting', older, open);
	item.command = { command: 'nancy.showMoreMessages', title: item.label };
	item.accessibilityInformation = { label: `${item.label}, ${item.description}` };
	return item;
}

/**
 * `Find dead code asks · Shall I round…`. What the user wrote begins with its own words, which tell such rows apart in a narrow view. So the
 * recipient follows in the description.
 */
function headline({ folder, address, message }: MailItem | MessageItem): string {
	const subject = subjectOf(message.content);
	const isForUser = address.worker === ORCHESTRATOR;
	if (message.content.kind === 'result')
		return isForUser ? subject : l10n.t('{0} · for {1}', subject, shortName(whoIs(folder, address), NAME));
	if (!isForUser && message.author.is === 'human') return subject;
	const from = briefly(whoWrote(folder, message.author));
	return asks(message) ? l10n.t('{0} asks · {1}', from, subject) : l10n.t('{0} writes · {1}', from, subject);
}

/** `Fix the roun…`, and `worker-2` of a task with several workers: the hover and the spoken label have the whole name. */
function briefly(name: string): string {
	const [, worker = name] = / · ([a-z][a-z0-9-]{0,31})$/.exec(name) ?? [];
	return firstLine(worker, WRITER);
}

export function messageHover(element: MailItem | MessageItem, limitOf: LimitOf): vscode.MarkdownString {
	const { folder, address, message } = element;
	const { content, receipt } = message;
	const isMail = element instanceof MailItem;
	const heading = l10n.t('{0} to {1}', kindWord(content.kind), whoIs(folder, address));
	const hover = tooltip(capitalized(heading), [
		[l10n.t('From'), whoWrote(folder, message.author)],
		[l10n.t('Priority'), content.priority === 'urgent' ? l10n.t('urgent') : undefined],
		[l10n.t('Effect'), effectWord(content.effect)],
		[l10n.t('Queue'), isMail ? undefined : placeInQueue(element)],
		...timeline(message, isMail, limitOf).map(
			({ at, words }) => [at === undefined ? l10n.t('Then') : formatTime(at), words] as const,
		),
		[l10n.t('Session'), receipt?.session],
		[l10n.t('File'), message.file],
	]);
	return withText(hover, content.text);
}

/** The time never changes, so a row is not drawn again because it has aged. */
function timeOf({ id }: StoredMessage): string {
	const at = messageTime(id);
	return at === undefined ? '' : formatMoment(at);
}

/** With seconds, so that no two rows sound alike. */
function spokenTime({ id }: StoredMessage): string {
	const at = messageTime(id);
	return at === undefined ? '' : formatDateTime(at);
}

function opening(item: Row, element: MailItem | MessageItem, spoken: readonly (string | undefined)[]): Row {
	item.command = { command: 'nancy.openMessage', title: l10n.t('Open Message'), arguments: [element] };
	item.accessibilityInformation = { label: spoken.filter(Boolean).join(', ') };
	return item;
}

/** `2 of 3`: when the worker reads it, if others wait, too. */
function placeInQueue(element: MessageItem): string | undefined {
	if (element.message.state !== 'queued') return undefined;
	const queue = queueOf(element.folder.messages(element.address));
	if (queue.length < 2) return undefined;
	return l10n.t('{0} of {1}', queue.indexOf(element.message.id) + 1, queue.length);
}

function isHeld({ state, held }: StoredMessage): boolean {
	return state === 'queued' && held !== undefined;
}

function asks({ content }: StoredMessage): boolean {
	return /\?\s*$/m.test(content.text);
}

function messageIcon(message: StoredMessage): vscode.ThemeIcon {
	const { state, content, receipt } = message;
	const warning = new vscode.ThemeColor('notificationsWarningIcon.foreground');
	switch (state) {
		case 'queued':
			if (isHeld(message)) return new vscode.ThemeIcon('debug-pause', warning);
			return content.priority === 'urgent'
				? new vscode.ThemeIcon('flame', warning)
				: new vscode.ThemeIcon('clockface');
		case 'claimed':
			return new vscode.ThemeIcon('sync~spin');
		case 'delivered':
			// One tick: handed over. Two: the conversation shows it.
			return new vscode.ThemeIcon(
				receipt?.inContextAt === undefined ? 'check' : 'check-all',
				new vscode.ThemeColor('charts.green'),
			);
		case 'archived':
			return new vscode.ThemeIcon('archive');
		case 'withdrawn':
			return new vscode.ThemeIcon('circle-slash');
	}
}
