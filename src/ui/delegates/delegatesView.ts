import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isFinal, type Delegate } from '../../core/delegates/delegate.ts';
import { isStanding, standingWorktree, worktreeOf } from '../../core/delegates/inWorktree.ts';
import type { DelegateState } from '../../protocol/delegate.ts';
import {
	delegateLine,
	delegateStateWord,
	duration,
	lastStep,
	shortTitle,
	tokenWords,
	toolCalls,
} from './delegateWords.ts';
import { firstLine, formatTime } from '../kit/format.ts';
import type { Folders } from '../folders.ts';
import { LiveTree } from '../kit/liveTree.ts';
import type { Folder } from '../ports.ts';
import { row, type Row } from '../kit/row.ts';
import { tooltip } from '../kit/tooltip.ts';
import { addressWords } from '../words.ts';

export class DelegateItem {
	constructor(
		readonly folder: Folder,
		readonly delegate: Delegate,
		readonly isInGroup = false,
	) {}
}

/** Delegates that got the same prompt, for comparison. */
class GroupItem {
	constructor(
		readonly folder: Folder,
		readonly group: string,
		readonly delegates: readonly Delegate[],
	) {}
}

/** The delegates that ended long ago. */
class EarlierItem {
	constructor(
		readonly folder: Folder,
		readonly entries: readonly Entry[],
	) {}
}

class DelegateFolderItem {
	constructor(readonly folder: Folder) {}
}

type Element = DelegateItem | GroupItem | EarlierItem | DelegateFolderItem;

/** One row of the list: a delegate by itself, or a group. Never empty. */
type Entry = readonly Delegate[];

const icons: Readonly<Record<DelegateState, vscode.ThemeIcon>> = {
	running: new vscode.ThemeIcon('loading~spin', new vscode.ThemeColor('charts.blue')),
	queued: new vscode.ThemeIcon('clock', new vscode.ThemeColor('disabledForeground')),
	parked: new vscode.ThemeIcon('debug-pause', new vscode.ThemeColor('list.warningForeground')),
	failed: new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground')),
	done: new vscode.ThemeIcon('pass', new vscode.ThemeColor('charts.green')),
};
const ORDER: readonly DelegateState[] = ['running', 'queued', 'parked', 'failed', 'done'];

/** A delegate that was stopped on purpose is not shown as an error. */
const stoppedIcon = new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));

/** How many ended delegates the list shows. The others are under “Earlier”. */
const ENDED_SHOWN = 20;
const TICK_MS = 1000;

/** The delegates of all folders, with their progress and their results. */
export class DelegatesView extends LiveTree<Element> {
	constructor(
		private readonly folders: Folders,
		view: vscode.TreeView<unknown>,
		private readonly agentName: (driver: string) => string,
	) {
		super(view, TICK_MS, folders.onDidChange);
	}

	protected childrenOf(parent: Element | undefined): Element[] {
		if (parent === undefined) {
			const used = this.folders.list().filter(folder => folder.delegates().length > 0);
			const [only] = used;
			if (only === undefined) return [];
			return this.folders.list().length === 1 ? listOf(only) : used.map(each => new DelegateFolderItem(each));
		}
		if (parent instanceof DelegateFolderItem) return listOf(parent.folder);
		if (parent instanceof GroupItem) return delegatesIn(parent);
		if (parent instanceof EarlierItem) return parent.entries.map(entry => entryItem(parent.folder, entry));
		return [];
	}

	itemOf(element: Element): Row {
		if (element instanceof DelegateItem) return this.delegateItem(element);
		if (element instanceof GroupItem) return groupItem(element);
		return element instanceof EarlierItem ? earlierItem(element) : folderItem(element);
	}

	hoverOf(element: Element): vscode.MarkdownString | undefined {
		return element instanceof DelegateItem ? this.delegateTooltip(element) : undefined;
	}

	private delegateItem(element: DelegateItem): Row {
		const { folder, delegate, isInGroup } = element;
		const { record, state } = delegate;
		const agent = [this.agentName(record.agent), record.model].filter(Boolean).join(' · ');
		const item = row(`${folder.path}//${record.id}`, isInGroup ? agent : shortTitle(delegate));
		const worktree = standingWorktree(delegate, folder.delegates());
		item.contextValue = delegate.isForeign ? 'foreign' : `delegate.${state}${worktree ? '.worktree' : ''}`;
		item.iconPath = delegate.error === 'cancelled' ? stoppedIcon : icons[state];
		item.description = delegateLine(delegate);
		item.command = { command: 'nancy.showDelegateOutput', title: l10n.t('Show Output'), arguments: [element] };
		item.accessibilityInformation = {
			label: l10n.t('Delegate {0}, {1}', record.title, item.description),
		};
		return item;
	}

	private delegateTooltip({ folder, delegate }: DelegateItem): vscode.MarkdownString {
		const { record, status, state, error } = delegate;
		const worktree = worktreeOf(delegate, folder.delegates());
		const denied = [...new Set(status.denied)];
		return tooltip(record.title, [
			[
				l10n.t('State'),
				[delegateStateWord(state), toolCalls(status.tool_calls), duration(delegate)]
					.filter(Boolean)
					.join(' · '),
			],
			[l10n.t('Error'), error === undefined ? undefined : firstLine(error, 400)],
			[l10n.t('Parked until'), status.parked_until && formatTime(status.parked_until)],
			[l10n.t('Doing'), isFinal(state) ? undefined : lastStep(delegate)],
			[l10n.t('Attempt'), status.iteration > 1 ? String(status.iteration) : undefined],
			[l10n.t('Agent'), this.agentName(record.agent)],
			[l10n.t('Model'), status.model ?? record.model],
			[l10n.t('Permissions'), record.permissions],
			[l10n.t('Not allowed'), denied.join(', ')],
			[l10n.t('Tokens'), tokenWords(status)],
			[l10n.t('Cost'), status.cost_usd === undefined ? undefined : `$${status.cost_usd.toFixed(2)}`],
			[l10n.t('Folder'), worktree?.folder ?? record.place.folder],
			[l10n.t('Worktree'), worktree && !isStanding(worktree) ? l10n.t('removed') : undefined],
			[l10n.t('Branch'), worktree?.branch],
			[l10n.t('Result for'), record.parent ? addressWords(record.parent) : l10n.t('you')],
			[l10n.t('Mailbox'), addressWords(record)],
			[l10n.t('Asked'), new Date(record.createdAt).toLocaleString()],
			[l10n.t('Started'), status.started_at && formatTime(status.started_at)],
			[l10n.t('Ended'), status.ended_at && formatTime(status.ended_at)],
			[l10n.t('ID'), record.id],
		]);
	}
}

/** The delegates of a row: one, or all of a group. */
export function delegatesIn(element: unknown): DelegateItem[] {
	if (element instanceof DelegateItem) return [element];
	if (!(element instanceof GroupItem)) return [];
	return element.delegates.map(each => new DelegateItem(element.folder, each, true));
}

/** The rows of one folder. Rows that need the user come first. */
export function inListOrder(delegates: readonly Delegate[]): Delegate[] {
	const rank = ({ state }: Delegate) => ORDER.indexOf(state);
	return delegates.toSorted((a, b) => {
		if (rank(a) !== rank(b)) return rank(a) - rank(b);
		// In the queue, the oldest is the next. Everywhere else, the newest comes first.
		const isNewer = a.record.id < b.record.id ? 1 : -1;
		return a.state === 'queued' ? -isNewer : isNewer;
	});
}

function listOf(folder: Folder): Element[] {
	const entries: Delegate[][] = [];
	const groups = new Map<string, Delegate[]>();
	// A group takes the place of its first delegate.
	for (const delegate of inListOrder(folder.delegates())) {
		const { group } = delegate.record;
		const known = group === undefined ? undefined : groups.get(group);
		if (known) {
			known.push(delegate);
			continue;
		}
		const entry = [delegate];
		if (group !== undefined) groups.set(group, entry);
		entries.push(entry);
	}
	const isOver = (entry: Entry) => entry.every(({ state }) => isFinal(state));
	const open = entries.filter(entry => !isOver(entry));
	const over = entries.filter(isOver);
	const newest = over.toSorted((a, b) => (newestIn(a) < newestIn(b) ? 1 : -1)).slice(0, ENDED_SHOWN);
	const earlier = over.filter(entry => !newest.includes(entry));
	return [
		...[...open, ...over.filter(entry => newest.includes(entry))].map(entry => entryItem(folder, entry)),
		...(earlier.length > 0 ? [new EarlierItem(folder, earlier)] : []),
	];
}

function newestIn(entry: Entry): string {
	return entry.reduce((newest, { record }) => (record.id > newest ? record.id : newest), '');
}

function entryItem(folder: Folder, entry: Entry): DelegateItem | GroupItem {
	const [only, ...others] = entry;
	if (only && others.length === 0) return new DelegateItem(folder, only);
	return new GroupItem(folder, only?.record.group ?? '', entry);
}

function groupItem({ folder, group, delegates }: GroupItem): Row {
	const [first] = delegates;
	const isOver = delegates.every(({ state }) => isFinal(state));
	const title = first ? shortTitle(first) : '';
	const item = row(
		`${folder.path}//group/${group}`,
		title,
		isOver ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.Expanded,
	);
	item.contextValue = isOver ? 'delegates.over' : 'delegates.open';
	item.iconPath = first && !isOver ? icons[first.state] : new vscode.ThemeIcon('layers');
	const count = (state: DelegateState) => delegates.filter(each => each.state === state).length;
	const counted = ORDER.filter(state => count(state) > 0);
	item.description = counted.map(state => `${count(state)} ${delegateStateWord(state)}`).join(' · ');
	item.accessibilityInformation = { label: l10n.t('Delegates {0}, {1}', title, item.description) };
	return item;
}

function earlierItem({ folder, entries }: EarlierItem): Row {
	const item = row(`${folder.path}//earlier`, l10n.t('Earlier'), vscode.TreeItemCollapsibleState.Collapsed);
	item.contextValue = 'earlier';
	item.iconPath = new vscode.ThemeIcon('history');
	item.description = String(entries.length);
	item.accessibilityInformation = { label: l10n.t('Earlier delegates: {0}', entries.length) };
	return item;
}

function folderItem({ folder }: DelegateFolderItem): Row {
	const item = row(folder.path, folder.name, vscode.TreeItemCollapsibleState.Expanded);
	item.contextValue = 'folder';
	item.iconPath = vscode.ThemeIcon.Folder;
	item.accessibilityInformation = { label: l10n.t('Folder {0}', folder.name) };
	return item;
}
