import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { ContextKeys } from '../contextKeys.ts';
import type { ReviewedItem } from './reviewed.ts';

/** Whose changes the active tab shows, so that they can be merged from there. */
export class OpenReviews implements vscode.Disposable {
	/** By the label of the tab. `undefined` for a label that several share: nobody could tell which one is meant. */
	private readonly items = new Map<string, { item: ReviewedItem; worktree: string } | undefined>();
	private readonly watchers = new Map<string, vscode.FileSystemWatcher>();
	private readonly listening: vscode.Disposable[];

	constructor(private readonly keys: ContextKeys) {
		const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
		this.listening = [onDidChangeTabs(() => this.look()), onDidChangeTabGroups(() => this.look())];
	}

	dispose(): void {
		for (const each of [...this.listening, ...this.watchers.values()]) each.dispose();
	}

	/**
	 * @param worktree the folder of it
	 * @param files that it shows
	 */
	add(label: string, item: ReviewedItem, worktree: string, files: readonly string[]): void {
		this.watch(files.map(file => dirname(file)));
		const isAnother = this.items.has(label) && this.items.get(label)?.worktree !== worktree;
		this.items.set(label, isAnother ? undefined : { item, worktree });
		this.look();
	}

	active(): ReviewedItem | undefined {
		return this.itemOf(vscode.window.tabGroups.activeTabGroup.activeTab);
	}

	/**
	 * Has VS Code read the files of reviewed folders again when they change. It does not watch files outside the workspace by itself, and takes
	 * a text that it knows: a review of the next round would show the round before.
	 */
	private watch(folders: readonly string[]): void {
		for (const [folder, watcher] of this.watchers) {
			if (existsSync(folder)) continue;
			watcher.dispose();
			this.watchers.delete(folder);
		}
		for (const folder of folders) {
			if (this.watchers.has(folder) || !existsSync(folder)) continue;
			const pattern = new vscode.RelativePattern(vscode.Uri.file(folder), '*');
			this.watchers.set(folder, vscode.workspace.createFileSystemWatcher(pattern));
		}
	}

	private itemOf(tab: vscode.Tab | undefined): ReviewedItem | undefined {
		// VS Code adds the number of files.
		return tab && this.items.get(tab.label.replace(/ \([^()]*\)$/, ''))?.item;
	}

	private look(): void {
		const item = this.active();
		// A worker's state is asked when it is merged: it may go on at any moment.
		this.keys.set('showsReview', item !== undefined && (!('delegate' in item) || item.delegate.state === 'done'));
	}
}
