import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { Folders } from './folders.ts';
import { statusItem } from './kit/statusItem.ts';
import { needsOf, type Needs } from './needs.ts';
import { waitingSentence } from './words.ts';

/** `2 queued · 1 waiting`: queued messages and what needs the user. Hidden if there is nothing. */
export function needsStatus(folders: Folders): vscode.Disposable {
	const entry = {
		id: 'needs',
		rank: 10,
		name: l10n.t('Nancy: Messages and Questions'),
		command: 'nancy.showAttention',
	};
	return statusItem(entry, folders.onDidChange, () => {
		const needs = needsOf(folders);
		const parts = statusParts(needs);
		if (parts.length === 0) return undefined;
		const isUrgent = needs.waiting.length > 0;
		const waiting = needs.waiting.map(({ worker: { record, state } }) => {
			const text = [state.tool, state.summary].filter(Boolean).join(' ');
			return waitingSentence({ task: record.task, worker: record.name }, { tool: state.tool, text });
		});
		return {
			icon: isUrgent ? 'bell-dot' : 'mail',
			text: parts.join(' · '),
			spoken: `Nancy: ${parts.join(', ')}`,
			hover: [...waiting, l10n.t('Click to go there.')],
			isUrgent,
		};
	});
}

function statusParts({ queued, waiting, unread }: Needs): string[] {
	return [
		queued > 0 ? l10n.t('{0} queued', queued) : '',
		waiting.length > 0 ? l10n.t('{0} waiting', waiting.length) : '',
		unread > 0 ? l10n.t('{0} unread', unread) : '',
	].filter(part => part !== '');
}
