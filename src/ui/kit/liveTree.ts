import * as vscode from 'vscode';
import type { Event } from '../../base/event.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { nearest } from './nearest.ts';
import { plain, plainLine } from './plain.ts';
import type { Row } from './row.ts';

/** A row's identity for VS Code. The object stays; its data changes. */
export class TreeNode<E> {
	constructor(
		readonly key: string,
		public element: E,
	) {}
}

/**
 * A tree over data that changes all the time. When the whole tree is drawn anew, VS Code forgets its rows for a moment, and a menu
 * command then gets no row. So only rows that look different are drawn again. A whole level is drawn again only when rows came,
 * went or moved.
 */
export abstract class LiveTree<E> implements vscode.TreeDataProvider<TreeNode<E>>, vscode.Disposable {
	private readonly _onDidChangeTreeData = new vscode.EventEmitter<TreeNode<E>[] | undefined>();
	readonly onDidChangeTreeData = this._onDidChangeTreeData.event;
	private readonly nodes = new Map<string, TreeNode<E>>();
	/** Keys of the children that VS Code has asked for, by their parent's key. */
	private readonly shown = new Map<string, readonly string[]>();
	/** Children that VS Code was told of and has not asked for since, by their parent's key: it asks once their row is opened. */
	private readonly told = new Map<string, string>();
	/** Whether any of the children could be opened when VS Code was last told of them, by their parent's key. */
	private readonly folds = new Map<string, boolean>();
	/** How each row looked when VS Code asked for it. */
	private readonly looks = new Map<string, string>();
	private readonly timer: NodeJS.Timeout;
	private readonly following: readonly Disposable[];

	/**
	 * @param tickMs how often to look for rows that have aged, in milliseconds
	 * @param changes tell that rows may look different
	 */
	constructor(view: vscode.TreeView<unknown>, tickMs: number, ...changes: readonly Event<void>[]) {
		this.timer = setInterval(() => {
			if (view.visible) this.update();
		}, tickMs);
		this.following = changes.map(change => change(() => this.update()));
	}

	protected abstract childrenOf(parent: E | undefined): readonly E[];
	/** The row. Its `id` is the row's key, and must not change while it is the same thing. */
	protected abstract itemOf(element: E): Row;
	/** What is only shown on hover, made when it is looked at. */
	protected abstract hoverOf(element: E): vscode.MarkdownString | undefined;

	getChildren(parent?: TreeNode<E>): TreeNode<E>[] {
		const below = this.below(parent);
		const nodes = below.map(({ node }) => node);
		const key = parent?.key ?? '';
		this.remember(
			key,
			nodes.map(node => node.key),
		);
		this.folds.set(key, below.some(canFold));
		return nodes;
	}

	getTreeItem(node: TreeNode<E>): vscode.TreeItem {
		const { key, element } = node;
		const item = this.itemOf(element);
		this.looks.set(key, lookOf(item));
		// A row is drawn again only when it looks different. Its command acts on what the row stands for by then.
		if (item.command?.arguments?.[0] === element) item.command = { ...item.command, arguments: [node] };
		return plainItem(item);
	}

	resolveTreeItem(item: vscode.TreeItem, { element }: TreeNode<E>): vscode.TreeItem {
		item.tooltip ??= this.hoverOf(element);
		return item;
	}

	getParent({ key }: TreeNode<E>): TreeNode<E> | undefined {
		return this.nodes.get(this.parentOf(key) ?? '');
	}

	/**
	 * Call it while the row is there. If the row is gone at the later call, that gives the row beside it, or else the row above.
	 * @returns undefined for what is no row of this tree
	 */
	beside(row: TreeNode<unknown>): (() => TreeNode<E> | undefined) | undefined {
		const { key } = row;
		// Another tree may have a row of the same thing.
		const parent = this.nodes.get(key) === row ? this.parentOf(key) : undefined;
		const before = parent === undefined ? undefined : this.shown.get(parent);
		if (parent === undefined || !before) return undefined;
		return () => {
			const above = this.nodes.get(parent);
			const now = new Map(this.below(above).map(({ node }) => [node.key, node]));
			if (now.has(key)) return undefined;
			// VS Code looks for the row among those that it has.
			this.update();
			return now.get(nearest(before, key, each => now.has(each)) ?? '') ?? above;
		};
	}

	/** Whether VS Code has the rows below the row of this key. */
	protected isListed(key: string): boolean {
		return this.shown.has(key);
	}

	/** `''` for a row at the top. */
	private parentOf(key: string): string | undefined {
		return [...this.shown].find(([, keys]) => keys.includes(key))?.[0];
	}

	dispose(): void {
		for (const each of this.following) each.dispose();
		clearInterval(this.timer);
		this._onDidChangeTreeData.dispose();
	}

	/** Draws again what looks different by now. */
	protected update(): void {
		const stale: TreeNode<E>[] = [];
		if (this.findStale(undefined, stale)) this._onDidChangeTreeData.fire(undefined);
		else if (stale.length > 0) this._onDidChangeTreeData.fire(stale);
	}

	/** True when the children of `parent` are others than VS Code knows. */
	private findStale(parent: TreeNode<E> | undefined, stale: TreeNode<E>[]): boolean {
		const key = parent?.key ?? '';
		const known = this.shown.get(key);
		if (known === undefined) return false;
		const below = this.below(parent);
		if (below.length !== known.length || below.some(({ node }, at) => node.key !== known[at])) {
			const now = JSON.stringify(below.map(({ node }) => node.key));
			if (parent && this.told.get(key) === now) return false;
			this.told.set(key, now);
			return true;
		}
		// VS Code indents rows more if any row beside them can be opened.
		const isShifted = this.folds.get(key) !== below.some(canFold);
		if (isShifted) this.folds.set(key, below.some(canFold));
		for (const { node, item } of below) {
			const isOther = isShifted || lookOf(item) !== this.looks.get(node.key);
			// A row that is drawn again has its children asked for again.
			if (isOther || this.findStale(node, stale)) stale.push(node);
		}
		return false;
	}

	private below(parent: TreeNode<E> | undefined): { node: TreeNode<E>; item: Row }[] {
		return this.childrenOf(parent?.element).map(element => {
			const item = this.itemOf(element);
			const node = this.nodes.get(item.id) ?? new TreeNode(item.id, element);
			node.element = element;
			this.nodes.set(item.id, node);
			return { node, item };
		});
	}

	private remember(parent: string, keys: readonly string[]): void {
		const kept = new Set(keys);
		const gone = (this.shown.get(parent) ?? []).filter(key => !kept.has(key));
		this.shown.set(parent, keys);
		this.told.delete(parent);
		const isElsewhere = (key: string) => [...this.shown.values()].some(others => others.includes(key));
		// A row may have moved below another one.
		for (const key of gone) if (!isElsewhere(key)) this.forget(key);
	}

	private forget(key: string): void {
		for (const child of this.shown.get(key) ?? []) this.forget(child);
		for (const map of [this.shown, this.told, this.folds, this.nodes, this.looks]) map.delete(key);
	}
}

function canFold({ item }: { readonly item: vscode.TreeItem }): boolean {
	return item.collapsibleState !== vscode.TreeItemCollapsibleState.None;
}

/** The thing behind a row, for a command that was called from it. */
export function elementOf(argument: unknown): unknown {
	return argument instanceof TreeNode ? argument.element : argument;
}

/** The same for an argument that may be all selected rows. */
export function elementsOf(argument: unknown): unknown {
	return Array.isArray(argument) ? argument.map(elementOf) : elementOf(argument);
}

/** Makes all texts of a row plain, because rows quote agents, files and repositories. */
function plainItem(item: Row): Row {
	item.label = plainLine(item.label);
	if (typeof item.description === 'string') item.description = plainLine(item.description);
	if (typeof item.tooltip === 'string') item.tooltip = plain(item.tooltip);
	if (item.accessibilityInformation) {
		const { label, ...rest } = item.accessibilityInformation;
		item.accessibilityInformation = { ...rest, label: plainLine(label) };
	}
	return item;
}

function lookOf({
	label,
	description,
	contextValue,
	iconPath,
	collapsibleState,
	accessibilityInformation,
}: vscode.TreeItem): string {
	const icon = iconPath instanceof vscode.ThemeIcon ? [iconPath.id, iconPath.color?.id] : undefined;
	return JSON.stringify([label, description, contextValue, icon, collapsibleState, accessibilityInformation?.label]);
}
