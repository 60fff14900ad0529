import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { pathFrom } from '../../base/inside.ts';
import { eventName, type EventName } from '../../core/traffic/eventName.ts';
import type { Outcome, TrafficNode } from '../../core/traffic/node.ts';
import { formatDateTime, formatMinutes, formatDuration, formatTime, shortName } from '../kit/format.ts';
import { row, type Row } from '../kit/row.ts';
import { tooltip } from '../kit/tooltip.ts';
import { placeOf, whoIs } from '../who.ts';
import { effectWord } from '../words.ts';
import { notesOf, type NodeItem, type NoteItem, type SessionItem, type TurnItem } from './trafficItems.ts';
import { deliveredTexts, eventLabel, outcomeWord, turnTitle } from './trafficWords.ts';

const warning = new vscode.ThemeColor('notificationsWarningIcon.foreground');

const callIcons: Readonly<Record<Outcome, vscode.ThemeIcon>> = {
	running: new vscode.ThemeIcon('loading~spin', new vscode.ThemeColor('charts.blue')),
	ok: new vscode.ThemeIcon('pass', new vscode.ThemeColor('charts.green')),
	failed: new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground')),
	denied: new vscode.ThemeIcon('circle-slash', warning),
	unreported: new vscode.ThemeIcon('circle-outline'),
	waiting: new vscode.ThemeIcon('bell-dot', warning),
	interrupted: new vscode.ThemeIcon('circle-slash'),
};

const nameIcons: Partial<Record<EventName, string>> = {
	'session-start': 'debug-start',
	'session-end': 'debug-disconnect',
	prompt: 'comment',
	'tool-end': 'pass',
	'tool-failed': 'error',
	'batch-end': 'layers',
	notification: 'bell',
	asked: 'bell',
	rested: 'bell',
	'permission-check': 'shield',
	'permission-asked': 'shield',
	'permission-denied': 'shield',
	'permission-answered': 'shield',
	stop: 'check-all',
	'stop-failed': 'error',
	interrupted: 'stop-circle',
	'subagent-start': 'organization',
	'subagent-stop': 'organization',
	'compact-start': 'fold',
	'compact-end': 'fold',
	'folder-changed': 'folder',
	doorbell: 'bell',
	'model-changed': 'settings',
	'settings-changed': 'settings-gear',
};

/** How the rows are drawn now. */
export interface Drawing {
	/** Part of each row's id. VS Code keeps a row closed that the user has closed, also when a filter finds something below it. */
	salt: string;
	/** Whether all rows are open, so that matches are seen. */
	isOpen: boolean;
}

export function sessionRow(item: SessionItem, { salt, isOpen }: Drawing): Row {
	const { folder, traffic, isFirst } = item;
	const name = sessionName(item);
	const made = row(`${folder.path}//${traffic.session}${salt}`, name, expanded(isFirst || isOpen));
	made.contextValue = 'session';
	made.iconPath = new vscode.ThemeIcon('comment-discussion');
	made.description = formatMinutes(traffic.lastAt) ?? '';
	made.tooltip = tooltip(name, [
		[l10n.t('Session'), traffic.session],
		[l10n.t('Worker'), traffic.address && `${traffic.address.task}/${traffic.address.worker}`],
		[l10n.t('Began'), formatDateTime(traffic.startedAt)],
		[l10n.t('Last event'), formatDateTime(traffic.lastAt)],
		[l10n.t('Turns'), String(traffic.turns.length)],
	]);
	made.accessibilityInformation = {
		label: [l10n.t('Session of {0}, turns: {1}', name, traffic.turns.length), made.description]
			.filter(Boolean)
			.join(', '),
	};
	return made;
}

/** Letters of a task's title in a row: beside it, the worker's own name has room. */
const NAME = 40;

/** The worker's name, with the time of its beginning if the worker has several sessions. */
export function sessionName({ folder, traffic, isOneOfSeveral }: SessionItem): string {
	const name = traffic.address ? shortName(whoIs(folder, traffic.address), NAME) : traffic.session.slice(0, 8);
	return isOneOfSeveral ? `${name} · ${formatTime(traffic.startedAt)}` : name;
}

export function turnRow(item: TurnItem, { salt, isOpen }: Drawing): Row {
	const { session, turn, isLast } = item;
	const { title, isMessage } = turnTitle(item);
	const made = row(`${session.folder.path}//${session.session}/${turn.id}${salt}`, title, expanded(isLast || isOpen));
	made.contextValue = 'turn';
	made.iconPath = new vscode.ThemeIcon(isMessage ? 'mail' : 'comment');
	made.description = formatTime(turn.at);
	made.tooltip = title;
	made.accessibilityInformation = {
		label: isMessage
			? l10n.t('Turn woken by a message at {0}, events: {1}, {2}', made.description, turn.nodes.length, title)
			: l10n.t('Turn at {0}, events: {1}, {2}', made.description, turn.nodes.length, title),
	};
	return made;
}

export function nodeRow(item: NodeItem): Row {
	const { turn, node } = item;
	const { event, durationMs, isOnFile } = node;
	const { folder, traffic } = turn.session;
	const about = event.summary ?? event.cause;
	const hasNotes = notesOf(node).length > 0;
	const label = eventLabel(node);
	const made = row(
		// A row with notes has another id. VS Code keeps a row closed that had nothing below it at first.
		`${turn.session.folder.path}//${turn.session.session}/${turn.turn.id}/${node.id}${hasNotes ? '/noted' : ''}`,
		label,
		hasNotes ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
	);
	const isCall = event.kind === 'tool-start';
	const state = outcomeWord(node);
	// What has an icon of its own for its state needs no word for a reader who sees it.
	const isSeen = isCall && (node.outcome === 'ok' || node.outcome === 'running');
	made.contextValue = 'event';
	made.iconPath = iconOf(node);
	made.description = [
		isSeen ? undefined : state,
		isCall ? undefined : node.tool,
		isOnFile && about !== undefined ? pathFrom(placeOf(folder, traffic.address), about) : about,
		durationMs === undefined ? undefined : formatDuration(durationMs),
		event.subagent === undefined ? undefined : l10n.t('subagent'),
	]
		.filter(Boolean)
		.join(' · ');
	made.command = { command: 'nancy.openEvent', title: l10n.t('Open Event'), arguments: [item] };
	made.accessibilityInformation = {
		label: [label, isSeen ? state : undefined, made.description, formatTime(node.at)].filter(Boolean).join(', '),
	};
	return made;
}

function iconOf({ event, outcome }: TrafficNode): vscode.ThemeIcon {
	if (event.kind === 'tool-start' && outcome) return callIcons[outcome];
	const icon = nameIcons[eventName(event)] ?? 'circle-small';
	return outcome === 'waiting' ? new vscode.ThemeIcon(icon, warning) : new vscode.ThemeIcon(icon);
}

export function noteRow(item: NoteItem): Row {
	const { parent, note, at } = item;
	const { session, turn } = parent.turn;
	const isDelivery = note.nancy === 'delivery';
	const label = isDelivery
		? note.messages.length === 1
			? l10n.t('Message delivered')
			: l10n.t('{0} messages delivered', note.messages.length)
		: l10n.t('Trouble');
	const made = row(`${session.folder.path}//${session.session}/${turn.id}/${parent.node.id}/${at}`, label);
	made.contextValue = 'note';
	made.iconPath = isDelivery
		? new vscode.ThemeIcon('mail', new vscode.ThemeColor('charts.green'))
		: new vscode.ThemeIcon('warning', warning);
	made.description = isDelivery
		? [...deliveredTexts(session.folder, note), effectWord(note.effect)].filter(Boolean).join(' · ')
		: note.reason;
	made.tooltip = made.description;
	made.command = { command: 'nancy.openEvent', title: l10n.t('Open Event'), arguments: [item] };
	made.accessibilityInformation = { label: `${label}, ${made.description}` };
	return made;
}

/** With the CLI's own names. */
export function nodeHover(node: TrafficNode): vscode.MarkdownString {
	const { event, tool, at, durationMs, deliveries } = node;
	return tooltip(eventLabel(node), [
		[l10n.t('Event'), event.event],
		[l10n.t('Tool'), event.tool === tool ? tool : `${tool} (${event.tool})`],
		[l10n.t('Input'), event.summary],
		[l10n.t('State'), outcomeWord(node)],
		[l10n.t('At'), formatTime(at)],
		[l10n.t('Took'), durationMs === undefined ? undefined : formatDuration(durationMs)],
		[l10n.t('Permission mode'), event.permissionMode],
		[l10n.t('Subagent'), event.subagent],
		[l10n.t('Delivered here'), deliveries.flatMap(({ messages }) => messages).join(', ')],
	]);
}

function expanded(is: boolean): vscode.TreeItemCollapsibleState {
	return is ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}
