import * as vscode from 'vscode';
import type { ContextKeys } from '../contextKeys.ts';
import type { DelegateItem } from './delegatesView.ts';

/** Which delegate's changes the active tab shows, so that they can be merged from there. */
export class OpenReviews implements vscode.Disposable {
	/** By the label of the tab. `undefined` for a label that delegates share: nobody could tell which one is meant. */
	private readonly items = new Map<string, DelegateItem | undefined>();
	private readonly listening: vscode.Disposable[];

	constructor(private readonly keys: ContextKeys) {
		const { onDidChangeTabs, onDidChangeTabGroups } = vscode.window.tabGroups;
		this.listening = [onDidChangeTabs(() => this.look()), onDidChangeTabGroups(() => this.look())];
	}

	dispose(): void {
		for (const each of this.listening) each.dispose();
	}

	add(label: string, item: DelegateItem): void {
		const known = this.items.get(label);
		const isAnother = this.items.has(label) && known?.delegate.record.id !== item.delegate.record.id;
		this.items.set(label, isAnother ? undefined : item);
		this.look();
	}

	active(): DelegateItem | undefined {
		const label = vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '';
		// VS Code adds the number of files.
		return this.items.get(label.replace(/ \([^()]*\)$/, ''));
	}

	private look(): void {
		this.keys.set('showsReview', this.active()?.delegate.state === 'done');
	}
}
