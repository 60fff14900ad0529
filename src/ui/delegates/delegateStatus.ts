import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isFinal } from '../../core/delegates/delegate.ts';
import { VIEWS } from '../contributions.ts';
import { delegateLine, shortTitle } from './delegateWords.ts';
import { inListOrder } from './delegatesView.ts';
import type { Folders } from '../folders.ts';
import { statusItem } from '../kit/statusItem.ts';

const LISTED = 8;

/** `3 delegates`: the unfinished ones. Hidden if there is none. */
export function delegateStatus(folders: Folders): vscode.Disposable {
	const entry = { id: 'delegates', rank: 9, name: l10n.t('Nancy: Delegates'), command: `${VIEWS.delegates}.focus` };
	return statusItem(entry, [folders.onDidChange], () => {
		const all = folders.list().flatMap(folder => folder.delegates());
		const open = inListOrder(all.filter(({ state, isForeign }) => !isFinal(state) && !isForeign));
		if (open.length === 0) return undefined;
		const waiting = open.filter(({ state }) => state !== 'running').length;
		const count = open.length === 1 ? l10n.t('1 delegate') : l10n.t('{0} delegates', open.length);
		const text = waiting === 0 ? count : l10n.t('{0}, {1} waiting', count, waiting);
		return {
			icon: 'run-all',
			text,
			spoken: `Nancy: ${text}`,
			hover: [
				...open.slice(0, LISTED).map(each => `${shortTitle(each)}: ${delegateLine(each)}`),
				...(open.length > LISTED ? ['…'] : []),
				l10n.t('Click to go there.'),
			],
		};
	});
}
