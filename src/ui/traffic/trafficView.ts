import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { Emitter } from '../../base/event.ts';
import type { SessionTraffic } from '../../core/live/sessionView.ts';
import type { Outcome, TrafficNode, Turn } from '../../core/traffic/turns.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { DeliveryNote, EventKind, TroubleNote } from '../../protocol/traffic.ts';
import { firstLine, formatAgeInSteps, formatDuration, formatTime } from '../kit/format.ts';
import type { Folders } from '../folders.ts';
import type { Folder } from '../ports.ts';
import { LiveTree } from '../kit/liveTree.ts';
import { plainLine } from '../kit/plain.ts';
import { row, type Row } from '../kit/row.ts';
import { tooltip } from '../kit/tooltip.ts';
import { filterTraffic, isFiltering, NO_FILTER, type TrafficFilter } from './trafficFilter.ts';
import { addressWords } from '../words.ts';

export class SessionItem {
	constructor(
		readonly folder: Folder,
		readonly traffic: SessionTraffic,
	) {}

	get session(): SessionId {
		return this.traffic.session;
	}
}

class TurnItem {
	constructor(
		readonly session: SessionItem,
		readonly turn: Turn,
		readonly isLast: boolean,
	) {}
}

export class NodeItem {
	constructor(
		readonly turn: TurnItem,
		readonly node: TrafficNode,
	) {}
}

/** A message that was delivered at an event, or the reason why a hook failed. */
class NoteItem {
	constructor(
		readonly parent: NodeItem,
		readonly note: DeliveryNote | TroubleNote,
		readonly at: number,
	) {}
}

export type TrafficElement = SessionItem | TurnItem | NodeItem | NoteItem;

const outcomeIcons: Readonly<Record<Outcome, vscode.ThemeIcon>> = {
	running: new vscode.ThemeIcon('loading~spin', new vscode.ThemeColor('charts.blue')),
	ok: new vscode.ThemeIcon('pass', new vscode.ThemeColor('charts.green')),
	failed: new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground')),
	denied: new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('list.warningForeground')),
	waiting: new vscode.ThemeIcon('bell-dot', new vscode.ThemeColor('list.warningForeground')),
	interrupted: new vscode.ThemeIcon('stop-circle', new vscode.ThemeColor('list.warningForeground')),
};

const kindIcons: Partial<Record<EventKind, string>> = {
	'session-start': 'debug-start',
	'session-end': 'debug-disconnect',
	prompt: 'comment',
	'batch-end': 'layers',
	notification: 'bell',
	'permission-asked': 'shield',
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
	'message-shown': 'comment',
};

const TICK_MS = 10_000;

/** Sessions, their turns, and the events of each turn. Changes show at once. */
export class TrafficView extends LiveTree<TrafficElement> {
	private readonly _onDidFilter = new Emitter<void>();
	readonly onDidFilter = this._onDidFilter.event;
	private current: TrafficFilter = NO_FILTER;

	constructor(
		private readonly folders: Folders,
		private readonly view: vscode.TreeView<unknown>,
		private readonly maximumSessions: () => number,
	) {
		super(view, TICK_MS, folders.onDidChange);
	}

	get filter(): TrafficFilter {
		return this.current;
	}

	set filter(filter: TrafficFilter) {
		this.current = filter;
		this.view.description = isFiltering(filter)
			? plainLine(
					[filter.task, filter.event, filter.text === undefined ? undefined : `“${filter.text}”`]
						.filter(Boolean)
						.join(' · '),
				)
			: '';
		this.update();
		this._onDidFilter.fire();
	}

	override dispose(): void {
		this._onDidFilter.dispose();
		super.dispose();
	}

	protected childrenOf(parent: TrafficElement | undefined): TrafficElement[] {
		if (parent === undefined) {
			return this.folders
				.list()
				.flatMap(folder =>
					filterTraffic(folder.sessions(), this.current).map(traffic => new SessionItem(folder, traffic)),
				)
				.toSorted((a, b) => (a.traffic.lastAt < b.traffic.lastAt ? 1 : -1))
				.slice(0, this.maximumSessions());
		}
		if (parent instanceof SessionItem) {
			const { turns } = parent.traffic;
			return turns.map((turn, at) => new TurnItem(parent, turn, at === turns.length - 1)).toReversed();
		}
		if (parent instanceof TurnItem) return parent.turn.nodes.map(node => new NodeItem(parent, node));
		if (parent instanceof NodeItem) return notesOf(parent.node).map((note, at) => new NoteItem(parent, note, at));
		return [];
	}

	protected itemOf(element: TrafficElement): Row {
		if (element instanceof SessionItem) return this.sessionItem(element);
		if (element instanceof TurnItem) return this.turnItem(element);
		return element instanceof NodeItem ? nodeItem(element) : noteItem(element);
	}

	protected hoverOf(element: TrafficElement): vscode.MarkdownString | undefined {
		return element instanceof NodeItem ? nodeTooltip(element.node) : undefined;
	}

	/** With a filter, rows have other ids. Otherwise VS Code would keep rows with matches closed if the user has closed them. */
	private get filtered(): string {
		return isFiltering(this.current) ? '//filtered' : '';
	}

	private sessionItem({ folder, traffic }: SessionItem): Row {
		const name = traffic.address ? addressWords(traffic.address) : traffic.session.slice(0, 8);
		const newest = this.folders.list().length === 1 && folder.sessions()[0]?.session === traffic.session;
		const item = row(
			`${folder.path}//${traffic.session}${this.filtered}`,
			name,
			expanded(newest || isFiltering(this.current)),
		);
		item.contextValue = 'session';
		item.iconPath = new vscode.ThemeIcon('comment-discussion');
		item.description = [traffic.session.slice(0, 8), formatAgeInSteps(traffic.lastAt)].filter(Boolean).join(' · ');
		item.tooltip = tooltip(name, [
			[l10n.t('Session'), traffic.session],
			[l10n.t('Began'), new Date(traffic.startedAt).toLocaleString()],
			[l10n.t('Last event'), new Date(traffic.lastAt).toLocaleString()],
			[l10n.t('Turns'), String(traffic.turns.length)],
		]);
		item.accessibilityInformation = {
			label: l10n.t('Session of {0}, turns: {1}, {2}', name, traffic.turns.length, item.description),
		};
		return item;
	}

	private turnItem({ session, turn, isLast }: TurnItem): Row {
		const title = turn.title ?? l10n.t('Before the first prompt');
		const item = row(
			`${session.folder.path}//${session.session}/${turn.id}${this.filtered}`,
			title,
			expanded(isLast || isFiltering(this.current)),
		);
		item.contextValue = 'turn';
		item.iconPath = new vscode.ThemeIcon('comment');
		item.description = formatTime(turn.at);
		item.tooltip = title;
		item.accessibilityInformation = {
			label: l10n.t('Turn at {0}, events: {1}, {2}', item.description, turn.nodes.length, title),
		};
		return item;
	}
}

function nodeItem({ turn, node }: NodeItem): Row {
	const { event, outcome, durationMs } = node;
	// A tool call is one row; any other event that concerns a tool keeps its name.
	const label = event.kind === 'tool-start' ? (event.tool ?? event.event) : event.event;
	const hasNotes = notesOf(node).length > 0;
	const item = row(
		// A row with notes has another id. VS Code keeps a row closed that had nothing below it at first.
		`${turn.session.folder.path}//${turn.session.session}/${turn.turn.id}/${node.id}${hasNotes ? '/noted' : ''}`,
		label,
		hasNotes ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
	);
	item.contextValue = 'event';
	item.iconPath = outcome ? outcomeIcons[outcome] : new vscode.ThemeIcon(kindIcons[event.kind] ?? 'circle-small');
	item.description = [
		label === event.tool ? undefined : event.tool,
		event.summary,
		durationMs === undefined ? undefined : formatDuration(durationMs),
		event.subagent === undefined ? undefined : l10n.t('subagent'),
	]
		.filter(Boolean)
		.join(' · ');
	item.accessibilityInformation = {
		label: [label, outcome && outcomeWord(outcome), item.description, formatTime(node.at)]
			.filter(Boolean)
			.join(', '),
	};
	return item;
}

function noteItem({ parent, note, at }: NoteItem): Row {
	const { session, turn } = parent.turn;
	const isDelivery = note.nancy === 'delivery';
	const item = row(
		`${session.folder.path}//${session.session}/${turn.id}/${parent.node.id}/${at}`,
		isDelivery
			? note.messages.length === 1
				? l10n.t('Message delivered')
				: l10n.t('{0} messages delivered', note.messages.length)
			: l10n.t('Trouble'),
	);
	item.contextValue = 'note';
	item.iconPath = isDelivery
		? new vscode.ThemeIcon('mail', new vscode.ThemeColor('charts.green'))
		: new vscode.ThemeIcon('warning', new vscode.ThemeColor('list.warningForeground'));
	item.description = isDelivery ? deliveredLine(session.folder, note) : note.reason;
	item.tooltip = item.description;
	item.accessibilityInformation = {
		label: `${typeof item.label === 'string' ? item.label : ''}, ${item.description}`,
	};
	return item;
}

/** The first words of the delivered messages, as long as the messages exist. */
function deliveredLine(folder: Folder, note: DeliveryNote): string {
	const { messages } = folder.messages({ task: note.task, worker: note.worker });
	const texts = note.messages.map(id => messages.find(message => message.id === id)?.content.text);
	const effect = note.effect === 'none' ? undefined : note.effect;
	return [...texts.map(text => text && firstLine(text, 60)), effect].filter(Boolean).join(' · ');
}

function notesOf(node: TrafficNode): (DeliveryNote | TroubleNote)[] {
	return [...node.deliveries, ...node.troubles];
}

function nodeTooltip({ event, outcome, at, durationMs, deliveries }: TrafficNode): vscode.MarkdownString {
	return tooltip([event.event, event.tool].filter(Boolean).join(' '), [
		[l10n.t('Input'), event.summary],
		[l10n.t('Outcome'), outcome && outcomeWord(outcome)],
		[l10n.t('At'), formatTime(at)],
		[l10n.t('Took'), durationMs === undefined ? undefined : formatDuration(durationMs)],
		[l10n.t('Permission mode'), event.permissionMode],
		[l10n.t('Subagent'), event.subagent],
		[l10n.t('Delivered here'), deliveries.flatMap(({ messages }) => messages).join(', ')],
	]);
}

function outcomeWord(outcome: Outcome): string {
	switch (outcome) {
		case 'running':
			return l10n.t('running');
		case 'ok':
			return l10n.t('done');
		case 'failed':
			return l10n.t('failed');
		case 'denied':
			return l10n.t('denied');
		case 'waiting':
			return l10n.t('waiting for permission');
		case 'interrupted':
			return l10n.t('interrupted');
	}
}

function expanded(is: boolean): vscode.TreeItemCollapsibleState {
	return is ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}
