import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isFinal, type Delegate } from '../../core/delegates/delegate.ts';
import { isStanding, standingWorktree, worktreeOf } from '../../core/delegates/inWorktree.ts';
import type { DelegateState } from '../../protocol/delegate.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import type { DelegateLabels } from './delegateLabels.ts';
import { delegateHover, mergedIn, type DelegateNames } from './delegateHover.ts';
import { delegateLabels, delegateLine, shortTitle, stateWord } from './delegateWords.ts';
import { icons, mergedIcon, stoppedIcon } from './delegateLooks.ts';
import { budgetOfDelegate, useOfDelegate } from './delegateUse.ts';
import type { Folders } from '../folders.ts';
import { LiveTree, type TreeNode } from '../kit/liveTree.ts';
import type { Folder } from '../ports.ts';
import {
	changedFileHover,
	ChangedFileItem,
	changedFileRow,
	changedFilesIn,
	MoreFilesItem,
	moreFilesRow,
	type ChangedFileElement,
} from './changedFiles.ts';
import { NO_CHANGES, type KnownChanges, type ShownChanges } from './knownChanges.ts';
import { row, type Row } from '../kit/row.ts';
import { Held } from '../kit/held.ts';
import { touchesOf } from '../kit/presence.ts';
import { budgetNote, lineNotes, spokenLines, spokenUse, useNotes } from '../useWords.ts';

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

/** Gives the changes below the row of this key as the row's view shows them now: see {@link Held}. */
type HoldChanges = (key: string, changes: ShownChanges) => ShownChanges;

type Element = DelegateItem | GroupItem | EarlierItem | DelegateFolderItem | ChangedFileElement;

/** One row of the list: a delegate by itself, or a group. Never empty. */
type Entry = readonly Delegate[];

/** The states of one that has not ended. A group shows the first that any of its delegates is in. */
const OPEN: readonly DelegateState[] = ['running', 'queued', 'parked'];

/** How many of the newest entries the list shows. Older ones that have ended are under “Earlier”. */
const SHOWN = 20;
/** Rows show whole minutes. */
const TICK_MS = 5000;

/** The delegates of all folders, with their progress and their results. */
export class DelegatesView extends LiveTree<Element> {
	private readonly presence: ReturnType<typeof touchesOf>;
	private readonly held: Held<ShownChanges>;

	constructor(
		private readonly folders: Folders,
		view: vscode.TreeView<unknown>,
		private readonly names: DelegateNames,
		private readonly known: KnownChanges,
	) {
		super(view, TICK_MS, folders.onDidChange, known.onDidChange);
		this.presence = touchesOf(view);
		this.held = new Held(this.presence.touches);
	}

	/** The user is in the view: see {@link Held}. */
	touch(): void {
		this.presence.touches.touch();
	}

	override resolveTreeItem(item: vscode.TreeItem, node: TreeNode<Element>): vscode.TreeItem {
		this.touch();
		return super.resolveTreeItem(item, node);
	}

	override dispose(): void {
		this.presence.following.dispose();
		super.dispose();
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
		return parent instanceof DelegateItem ? this.filesOf(parent, this.hold) : [];
	}

	private readonly hold: HoldChanges = (key, changes) => this.held.of(key, changes, this.isListed(key));

	/** The changed files below a delegate's row. */
	filesOf(element: DelegateItem, hold: HoldChanges): ChangedFileElement[] {
		const { folder, delegate } = element;
		const worktree = standingWorktree(delegate, folder.delegates());
		if (!worktree) return [];
		const key = delegateKey(element);
		const changes = hold(key, this.changesOf(element, worktree) ?? NO_CHANGES);
		return changedFilesIn({ owner: element, key, of: { worktree }, changes });
	}

	itemOf(element: Element): Row {
		if (element instanceof DelegateItem) return this.delegateItem(element, this.hold);
		if (element instanceof GroupItem) return groupItem(element);
		if (element instanceof ChangedFileItem) return changedFileRow(element);
		if (element instanceof MoreFilesItem) return moreFilesRow(element);
		return element instanceof EarlierItem ? earlierItem(element) : folderItem(element);
	}

	hoverOf(element: Element): vscode.MarkdownString | undefined {
		if (element instanceof ChangedFileItem) return changedFileHover(element);
		if (!(element instanceof DelegateItem)) return undefined;
		const worktree = standingWorktree(element.delegate, element.folder.delegates());
		return delegateHover(element, this.names, worktree && this.changesOf(element, worktree));
	}

	private listOf(folder: Folder): Element[] {
		return listOf(
			folder,
			delegateLabels(folder.delegates(), driver => this.names.agent(driver)),
		);
	}

	/** A delegate's row, which can be opened as long as its view shows files below it. */
	delegateItem(element: DelegateItem, hold: HoldChanges): Row {
		const { folder, delegate, label } = element;
		const { state, error } = delegate;
		const all = folder.delegates();
		const worktree = worktreeOf(delegate, all);
		const isMerged = mergedIn(delegate, worktree, all) !== undefined;
		const isHere = worktree !== undefined && isStanding(worktree);
		const changes = isHere ? this.changesOf(element, worktree) : undefined;
		const { Collapsed, None } = vscode.TreeItemCollapsibleState;
		const key = delegateKey(element);
		const canOpen = isHere && hold(key, changes ?? NO_CHANGES).files.length > 0;
		const item = row(key, label, canOpen ? Collapsed : None);
		const kinds = [state, isHere && 'worktree', isHere && isMerged && 'merged'].filter(Boolean).join('.');
		item.contextValue = delegate.isForeign ? 'foreign' : `delegate.${kinds}`;
		item.iconPath = isMerged ? mergedIcon : error === 'cancelled' ? stoppedIcon : icons[state];
		const line = delegateLine(delegate, isMerged);
		const use = useOfDelegate(folder, delegate);
		const notes = isFinal(state) ? [] : budgetNote(budgetOfDelegate(folder, delegate));
		item.description = [line, ...notes, ...lineNotes(changes), ...useNotes(use)].join(' · ');
		item.command = { command: 'nancy.showDelegateOutput', title: l10n.t('Show Output'), arguments: [element] };
		item.accessibilityInformation = {
			label: l10n.t(
				'Delegate {0}, {1}',
				spokenLabel(element),
				[line, ...notes, ...spokenLines(changes), ...spokenUse(use)].join(' · '),
			),
		};
		return item;
	}

	/** Another tool call, or an end, may have changed its worktree. */
	private changesOf(
		{ folder, delegate: { record, state, status } }: DelegateItem,
		worktree: Worktree,
	): ShownChanges | undefined {
		// No git runs in Restricted Mode.
		if (!vscode.workspace.isTrusted) return undefined;
		const mark = `${state} ${status.tool_calls} ${status.ended_at ?? ''}`;
		return this.known.of(folder, { worktree }, record.id, mark);
	}
}

/** The delegates of a row: one, or all of a group. */
export function delegatesIn(element: unknown): DelegateItem[] {
	if (element instanceof DelegateItem) return [element];
	if (!(element instanceof GroupItem)) return [];
	const { folder, labels } = element;
	return element.delegates.map(each => new DelegateItem(folder, each, labels.row(each), labels.full(each)));
}

function delegateKey({ folder, delegate }: DelegateItem): string {
	return `${folder.path}//:delegate/${delegate.record.id}`;
}

/** With all of the title: a label may have only its beginning. */
function spokenLabel({ delegate, fullLabel }: DelegateItem): string {
	return delegate.record.title + fullLabel.slice(shortTitle(delegate).length);
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
