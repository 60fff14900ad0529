import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type * as vscode from 'vscode';
import type { ContextKeys } from '../contextKeys.ts';
import type { ReviewedItem } from './reviewed.ts';

type Tabs = Pick<vscode.TabGroups, 'all' | 'activeTabGroup' | 'onDidChangeTabs' | 'onDidChangeTabGroups'>;

interface Review {
	/** `undefined` if several share the label: nobody could tell which one is meant. */
	readonly item: ReviewedItem | undefined;
	/** The key of its changes: see `keyOf`. */
	readonly key: string;
	readonly files: ReadonlySet<string>;
}

/** Whose changes the active tab shows, so that they can be merged from there. */
export class OpenReviews implements vscode.Disposable {
	/** By the label of the tab. */
	private readonly reviews = new Map<string, Review>();
	/** The labels of those that have a tab, or are about to get one. */
	private readonly open = new Set<string>();
	private readonly watchers = new Map<string, vscode.Disposable>();
	private readonly listening: vscode.Disposable[];

	/** @param watch has VS Code watch the files of a folder */
	constructor(
		private readonly keys: Pick<ContextKeys, 'set'>,
		private readonly tabs: Tabs,
		private readonly watch: (folder: string) => vscode.Disposable,
	) {
		this.listening = [
			tabs.onDidChangeTabs(change => {
				this.follow(change);
				this.look();
			}),
			tabs.onDidChangeTabGroups(() => this.look()),
		];
	}

	dispose(): void {
		for (const each of [...this.listening, ...this.watchers.values()]) each.dispose();
	}

	/**
	 * @param key of its changes: see `keyOf`
	 * @param files that it shows
	 */
	add(label: string, item: ReviewedItem, key: string, files: readonly string[]): void {
		const known = this.reviews.get(label);
		const isAnother = known !== undefined && known.key !== key;
		// Two files of one name, each in a tab of its own, have the same label.
		const before = known && !isAnother && this.open.has(label) ? known.files : [];
		this.reviews.delete(label);
		this.reviews.set(label, { item: isAnother ? undefined : item, key, files: new Set([...before, ...files]) });
		this.open.add(label);
		this.watchOpen();
		this.look();
	}

	active(): ReviewedItem | undefined {
		const tab = this.tabs.activeTabGroup.activeTab;
		return tab && this.reviews.get(labelOf(tab))?.item;
	}

	/** Whether a tab shows the file in somebody's changes. */
	shows(file: string): boolean {
		return [...this.open].some(label => this.reviews.get(label)?.files.has(file));
	}

	/** Whose changes with this file were opened: those of the active tab, or the last ones. */
	lastWith(file: string): ReviewedItem | undefined {
		const active = this.active();
		const all = [...this.reviews.values()].filter(({ files }) => files.has(file)).map(({ item }) => item);
		return all.includes(active) ? active : all.findLast(item => item !== undefined);
	}

	/** A tab that is moved is closed and opened. One that was closed may be opened again. */
	private follow({ opened, closed }: vscode.TabChangeEvent): void {
		const labels = new Set(this.tabs.all.flatMap(({ tabs }) => tabs.map(labelOf)));
		const gone = closed.map(labelOf).filter(label => !labels.has(label));
		const came = opened.map(labelOf).filter(label => this.reviews.has(label));
		for (const label of gone) this.open.delete(label);
		for (const label of came) this.open.add(label);
		if (gone.length + came.length > 0) this.watchOpen();
	}

	/**
	 * Has VS Code read the files of open reviews again when they change. It takes a text that it knows: a review of the next round would show
	 * the round before.
	 */
	private watchOpen(): void {
		const wanted = new Set([...this.open].flatMap(label => foldersOf(this.reviews.get(label))));
		for (const [folder, watcher] of this.watchers) {
			if (wanted.has(folder) && existsSync(folder)) continue;
			watcher.dispose();
			this.watchers.delete(folder);
		}
		for (const folder of wanted)
			if (!this.watchers.has(folder) && existsSync(folder)) this.watchers.set(folder, this.watch(folder));
	}

	private look(): void {
		const item = this.active();
		// Whether it may be merged by now is asked when it is.
		this.keys.set('showsReview', item !== undefined && hasMerge(item));
	}
}

/** Whether there may be a merge. The changes of a task in the folder itself are where a merge would bring them. */
function hasMerge(item: ReviewedItem): boolean {
	return 'delegate' in item ? item.delegate.state !== 'failed' : item.worker.worktree !== undefined;
}

function foldersOf(review: Review | undefined): string[] {
	return [...(review?.files ?? [])].map(file => dirname(file));
}

/** VS Code adds the number of files. */
function labelOf({ label }: vscode.Tab): string {
	return label.replace(/ \([^()]*\)$/, '');
}
