import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { Folders } from '../folders.ts';
import { statusItem } from '../kit/statusItem.ts';
import { countQueued, needsOf, type Need } from './needs.ts';
import { agentCounts, needSentence } from './needWords.ts';
import type { SeenStops } from './seenStops.ts';

/** How many needs the hover names. The list has all. */
const NAMED = 10;

/** `1 waiting · 2 queued`: what needs the user, and messages that no agent has read. Hidden if there is nothing. */
export function needsStatus(folders: Folders, seen: SeenStops): vscode.Disposable {
	const entry = {
		id: 'needs',
		rank: 10,
		name: l10n.t('Nancy: Messages and Questions'),
		command: 'nancy.showAttention',
	};
	return statusItem(entry, [folders.onDidChange, folders.onDidNeedAttention, seen.onDidChange], () => {
		const needs = needsOf(folders, seen);
		const parts = statusParts(needs, countQueued(folders));
		if (parts.length === 0) return undefined;
		const isUrgent = needs.some(({ kind }) => kind === 'waiting' || kind === 'question');
		return {
			icon: isUrgent ? 'bell-dot' : 'mail',
			text: parts.join(' · '),
			spoken: `Nancy: ${parts.join(', ')}`,
			hover: [...needs.slice(0, NAMED).map(needSentence), l10n.t('Click for the list.')],
			isUrgent,
		};
	});
}

function statusParts(needs: readonly Need[], queued: number): string[] {
	const unread = needs.filter(({ kind }) => kind === 'message' || kind === 'delegate').length;
	return [
		...agentCounts(needs),
		...(unread > 0 ? [l10n.t('{0} unread', unread)] : []),
		...(queued > 0 ? [l10n.t('{0} queued', queued)] : []),
	];
}
