import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isFinal } from '../core/delegates/delegates.ts';
import { VIEWS } from './contributions.ts';
import { delegateLine, shortTitle } from './delegateWords.ts';
import { inListOrder } from './delegatesView.ts';
import type { Folders } from './folders.ts';

const LISTED = 8;

/** `3 delegates`: how many are on their way. Hidden when there are none. */
export class DelegateStatusBar implements vscode.Disposable {
	private readonly item = vscode.window.createStatusBarItem('delegates', vscode.StatusBarAlignment.Left, 9);
	private readonly following: vscode.Disposable;

	constructor(private readonly folders: Folders) {
		this.item.name = l10n.t('Nancy: Delegates');
		this.item.command = `${VIEWS.delegates}.focus`;
		this.following = folders.onDidChange(() => this.show());
		this.show();
	}

	dispose(): void {
		this.following.dispose();
		this.item.dispose();
	}

	private show(): void {
		const all = this.folders.list().flatMap(folder => folder.delegates());
		const open = inListOrder(all.filter(({ state, isForeign }) => !isFinal(state) && !isForeign));
		if (open.length === 0) {
			this.item.hide();
			return;
		}
		const waiting = open.filter(({ state }) => state !== 'running').length;
		const count = open.length === 1 ? l10n.t('1 delegate') : l10n.t('{0} delegates', open.length);
		const text = waiting === 0 ? count : l10n.t('{0}, {1} waiting', count, waiting);
		this.item.text = `$(run-all) ${text}`;
		this.item.tooltip = [
			...open.slice(0, LISTED).map(each => `${shortTitle(each)}: ${delegateLine(each)}`),
			...(open.length > LISTED ? ['…'] : []),
			l10n.t('Click to go there.'),
		].join('\n');
		this.item.accessibilityInformation = { label: `Nancy: ${text}`, role: 'button' };
		this.item.show();
	}
}
