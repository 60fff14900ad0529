import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isFinal, type Delegate } from '../../core/delegates/delegate.ts';
import { isStanding, mergeOf, worktreeOf } from '../../core/delegates/inWorktree.ts';
import type { DelegateState } from '../../protocol/delegate.ts';
import type { MergeRecord } from '../../protocol/merge.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import type { DelegateLabels } from './delegateLabels.ts';
import { delegateLabels, delegateLine, duration, lastStep, shortTitle, stateWord, toolCalls } from './delegateWords.ts';
import { budgetOfDelegate, useOfDelegate } from './delegateUse.ts';
import { firstLine, formatDateTime, formatDollars, formatTime } from '../kit/format.ts';
import type { Folders } from '../folders.ts';
import { LiveTree } from '../kit/liveTree.ts';
import type { ChangedLines, Folder } from '../ports.ts';
import type { LineCounts } from './lineCounts.ts';
import { row, type Row } from '../kit/row.ts';
import { tooltip } from '../kit/tooltip.ts';
import {
	budgetLine,
	budgetNote,
	inAndOut,
	lineNotes,
	lineWords,
	spokenLines,
	spokenUse,
	useNotes,
} from '../useWords.ts';
import { whoIs } from '../who.ts';

export class DelegateItem {
	constructor(
		readonly folder: Folder,
		readonly delegate: Delegate,
		/** Unlike that of any other row beside it. */
		readonly label: string = shortTitle(delegate),
		/** Unlike that of any other delegate of the folder. */
		readonly fullLabel: string = label,
	) {}
}

/** Delegates that got the same prompt, for comparison. */
class GroupItem {
	constructor(
		readonly folder: Folder,
		readonly group: string,
		readonly delegates: readonly Delegate[],
		readonly labels: DelegateLabels,
	) {}
}

/** The delegates that ended long ago. */
class EarlierItem {
	constructor(
		readonly folder: Folder,
		readonly entries: readonly Entry[],
		readonly labels: DelegateLabels,
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
	queued: new vscode.ThemeIcon('clockface', new vscode.ThemeColor('disabledForeground')),
	parked: new vscode.ThemeIcon('debug-pause', new vscode.ThemeColor('notificationsWarningIcon.foreground')),
	failed: new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground')),
	done: new vscode.ThemeIcon('pass', new vscode.ThemeColor('charts.green')),
};

/** The states of one that has not ended. A group shows the first that any of its delegates is in. */
const OPEN: readonly DelegateState[] = ['running', 'queued', 'parked'];

/** A delegate that was stopped on purpose is not shown as an error. */
const stoppedIcon = new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));

const mergedIcon = new vscode.ThemeIcon('git-merge', new vscode.ThemeColor('charts.green'));

/** How many of the newest entries the list shows. Older ones that have ended are under “Earlier”. */
const SHOWN = 20;
/** Rows show whole minutes. */
const TICK_MS = 5000;

/** The delegates of all folders, with their progress and their results. */
export class DelegatesView extends LiveTree<Element> {
	constructor(
		private readonly folders: Folders,
		view: vscode.TreeView<unknown>,
		private readonly agentName: (driver: string) => string,
		private readonly counts: LineCounts,
	) {
		super(view, TICK_MS, folders.onDidChange, counts.onDidChange);
	}

	protected childrenOf(parent: Element | undefined): Element[] {
		if (parent === undefined) {
			const used = this.folders.list().filter(folder => folder.delegates().length > 0);
			const [only] = used;
			if (only === undefined) return [];
			return this.folders.list().length === 1
				? this.listOf(only)
				: used.map(each => new DelegateFolderItem(each));
		}
		if (parent instanceof DelegateFolderItem) return this.listOf(parent.folder);
		if (parent instanceof GroupItem) return delegatesIn(parent);
		if (parent instanceof EarlierItem)
			return parent.entries.map(entry => entryItem(parent.folder, entry, parent.labels));
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

	private listOf(folder: Folder): Element[] {
		return listOf(folder, delegateLabels(folder.delegates(), this.agentName));
	}

	private delegateItem(element: DelegateItem): Row {
		const { folder, delegate, label } = element;
		const { record, state, error } = delegate;
		const item = row(`${folder.path}//:delegate/${record.id}`, label);
		const all = folder.delegates();
		const worktree = worktreeOf(delegate, all);
		const isMerged = mergedIn(delegate, worktree, all) !== undefined;
		const isHere = worktree !== undefined && isStanding(worktree);
		const kinds = [state, isHere && 'worktree', isHere && isMerged && 'merged'].filter(Boolean).join('.');
		item.contextValue = delegate.isForeign ? 'foreign' : `delegate.${kinds}`;
		item.iconPath = isMerged ? mergedIcon : error === 'cancelled' ? stoppedIcon : icons[state];
		const line = delegateLine(delegate, isMerged);
		const use = useOfDelegate(folder, delegate);
		const notes = isFinal(state) ? [] : budgetNote(budgetOfDelegate(folder, delegate));
		const lines = isHere ? this.linesOf(element, worktree) : undefined;
		item.description = [line, ...notes, ...lineNotes(lines), ...useNotes(use)].join(' · ');
		item.command = { command: 'nancy.showDelegateOutput', title: l10n.t('Show Output'), arguments: [element] };
		item.accessibilityInformation = {
			label: l10n.t(
				'Delegate {0}, {1}',
				spokenLabel(element),
				[line, ...notes, ...spokenLines(lines), ...spokenUse(use)].join(' · '),
			),
		};
		return item;
	}

	/** Another tool call, or an end, may have changed its worktree. */
	private linesOf(
		{ folder, delegate: { state, status } }: DelegateItem,
		worktree: Worktree,
	): ChangedLines | undefined {
		// No git runs in Restricted Mode.
		if (!vscode.workspace.isTrusted) return undefined;
		return this.counts.of(folder, { worktree }, `${state} ${status.tool_calls} ${status.ended_at ?? ''}`);
	}

	private delegateTooltip(element: DelegateItem): vscode.MarkdownString {
		const { folder, delegate } = element;
		const { record, status, state, error } = delegate;
		const all = folder.delegates();
		const worktree = worktreeOf(delegate, all);
		const merge = mergedIn(delegate, worktree, all);
		const denied = [...new Set(status.denied)];
		const budget = budgetOfDelegate(folder, delegate);
		const use = useOfDelegate(folder, delegate);
		return tooltip(record.title, [
			[
				l10n.t('State'),
				[stateWord(delegate), toolCalls(status.tool_calls), duration(delegate)].filter(Boolean).join(' · '),
			],
			[l10n.t('Merged'), merge && formatTime(merge.at)],
			[l10n.t('Error'), error === undefined || error === 'cancelled' ? undefined : firstLine(error, 400)],
			[l10n.t('Parked until'), status.parked_until && formatTime(status.parked_until)],
			[l10n.t('Doing'), isFinal(state) ? undefined : lastStep(delegate)],
			[l10n.t('Attempt'), status.iteration > 1 ? String(status.iteration) : undefined],
			[l10n.t('Agent'), this.agentName(record.agent)],
			[l10n.t('Model'), status.model ?? record.model],
			[l10n.t('Permissions'), record.permissions],
			[l10n.t('Not allowed'), denied.join(', ')],
			[l10n.t('Tokens'), use && inAndOut(use)],
			[l10n.t('Cost'), use?.costUsd === undefined ? undefined : formatDollars(use.costUsd)],
			[l10n.t('Budget'), budget && budgetLine(budget, use)],
			[l10n.t('Folder'), worktree?.folder ?? record.place.folder],
			[l10n.t('Worktree'), worktree && !isStanding(worktree) ? l10n.t('removed') : undefined],
			[l10n.t('Branch'), worktree?.branch],
			[
				l10n.t('Changed'),
				worktree && isStanding(worktree) ? lineWords(this.linesOf(element, worktree)) : undefined,
			],
			[l10n.t('Result for'), record.parent ? whoIs(folder, record.parent) : l10n.t('you')],
			[l10n.t('Mailbox'), `${record.task}/${record.worker}`],
			[l10n.t('Asked'), formatDateTime(record.createdAt)],
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
	const { folder, labels } = element;
	return element.delegates.map(each => new DelegateItem(folder, each, labels.row(each), labels.full(each)));
}

/** With all of the title: a label may have only its beginning. */
function spokenLabel({ delegate, fullLabel }: DelegateItem): string {
	return delegate.record.title + fullLabel.slice(shortTitle(delegate).length);
}

/** The last merge of its worktree, if that has its work. */
function mergedIn(
	delegate: Delegate,
	worktree: Worktree | undefined,
	all: readonly Delegate[],
): MergeRecord | undefined {
	return worktree && delegate.state === 'done' ? mergeOf(delegate, worktree, all) : undefined;
}

/** The newest first. No row moves when a state changes: it would come under a hand that aims at another. */
export function inListOrder(delegates: readonly Delegate[]): Delegate[] {
	return delegates.toSorted((a, b) => (a.record.id < b.record.id ? 1 : -1));
}

function listOf(folder: Folder, labels: DelegateLabels): Element[] {
	const entries: Delegate[][] = [];
	const groups = new Map<string, Delegate[]>();
	// A group takes the place of its newest delegate.
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
	const isEarlier = (entry: Entry, at: number) => at >= SHOWN && entry.every(({ state }) => isFinal(state));
	const earlier = entries.filter(isEarlier);
	const shown = entries.filter((entry, at) => !isEarlier(entry, at));
	return [
		...shown.map(entry => entryItem(folder, entry, labels)),
		...(earlier.length > 0 ? [new EarlierItem(folder, earlier, labels)] : []),
	];
}

function entryItem(folder: Folder, entry: Entry, labels: DelegateLabels): DelegateItem | GroupItem {
	const [only, ...others] = entry;
	if (!only || others.length > 0) return new GroupItem(folder, only?.record.group ?? '', entry, labels);
	return new DelegateItem(folder, only, labels.row(only), labels.full(only));
}

/** All delegates of a folder by themselves, for a list to choose from. */
export function delegateItems(folder: Folder, agentName: (driver: string) => string): DelegateItem[] {
	const labels = delegateLabels(folder.delegates(), agentName);
	return inListOrder(folder.delegates()).map(each => new DelegateItem(folder, each, labels.full(each)));
}

function groupItem({ folder, group, delegates, labels }: GroupItem): Row {
	const title = labels.group(group);
	const isOver = delegates.every(({ state }) => isFinal(state));
	const item = row(
		`${folder.path}//:group/${group}`,
		title,
		isOver ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.Expanded,
	);
	item.contextValue = isOver ? 'delegates.over' : 'delegates.open';
	const open = OPEN.find(state => delegates.some(each => each.state === state));
	item.iconPath = open ? icons[open] : new vscode.ThemeIcon('layers');
	const all = folder.delegates();
	const words = delegates.map(each => stateWord(each, mergedIn(each, worktreeOf(each, all), all) !== undefined));
	const counts = [...new Set(words)].map(word => `${words.filter(each => each === word).length} ${word}`);
	item.description = counts.join(' · ');
	item.accessibilityInformation = { label: l10n.t('Delegates {0}, {1}', title, item.description) };
	return item;
}

function earlierItem({ folder, entries }: EarlierItem): Row {
	const item = row(`${folder.path}//:earlier`, l10n.t('Earlier'), vscode.TreeItemCollapsibleState.Collapsed);
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
