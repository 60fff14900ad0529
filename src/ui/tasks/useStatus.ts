import type * as vscode from 'vscode';
import { l10n } from 'vscode';
import { sumUse } from '../../core/budgets/use.ts';
import { VIEWS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import { statusItem } from '../kit/statusItem.ts';
import { limitWords, spokenUse, useNotes, useWords } from '../useWords.ts';
import { usesOfToday } from './usesOfToday.ts';

/** `165k · $1.20`: what the open tasks have taken in which an agent was active today. Hidden if that is next to nothing. */
export function useStatus(folders: Folders, agentName: (driver: string) => string): vscode.Disposable {
	const entry = { id: 'use', rank: 8, name: l10n.t('Nancy: Tokens and Cost'), command: `${VIEWS.tasks}.focus` };
	return statusItem(entry, [folders.onDidChange], () => {
		const agents = usesOfToday(folders.list().flatMap(folder => folder.overview().tasks));
		const all = sumUse(agents.map(({ use }) => use));
		const text = useNotes(all).join(' · ');
		if (!all || text === '') return undefined;
		const limitsOf = (limits: string) => (limits === '' ? '' : ` (${limits})`);
		return {
			icon: 'dashboard',
			text,
			spoken: l10n.t('Nancy: {0} used', spokenUse(all).join(', ')),
			hover: [
				l10n.t('Open tasks of today: {0}', useWords(all)),
				...agents.map(
					({ agent, use, limits }) => `${agentName(agent)}: ${useWords(use)}${limitsOf(limitWords(limits))}`,
				),
				l10n.t('Click for the tasks.'),
			],
		};
	});
}
