import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isFinal } from '../../core/delegates/delegate.ts';
import { VIEWS } from '../contributions.ts';
import { delegateLine, shortTitle } from './delegateWords.ts';
import { inListOrder } from './delegatesView.ts';
import type { Folders } from '../folders.ts';
import { StatusItem } from '../kit/statusItem.ts';

const LISTED = 8;

/** `3 delegates`: how many are on their way. Hidden when there are none. */
export class DelegateStatusBar implements vscode.Disposable {
	private readonly item = new StatusItem('delegates', 9, {
		name: l10n.t('Nancy: Delegates'),
		command: `${VIEWS.delegates}.focus`,
	});
	private readonly following: vscode.Disposable;

	constructor(private readonly folders: Folders) {
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
		this.item.show({
			icon: 'run-all',
			text,
			spoken: `Nancy: ${text}`,
			hover: [
				...open.slice(0, LISTED).map(each => `${shortTitle(each)}: ${delegateLine(each)}`),
				...(open.length > LISTED ? ['…'] : []),
				l10n.t('Click to go there.'),
			],
		});
	}
}
