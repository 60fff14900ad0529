import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { formatAge, formatMinutes, shortName } from '../kit/format.ts';
import { row, type Row } from '../kit/row.ts';
import { tooltip, withText } from '../kit/tooltip.ts';
import { askedWords, riskWords } from '../words.ts';
import { askingWorker, whoAsks, type QuestionItem } from './questionItem.ts';

/** Letters of a task's title in a row: beside it, the request has room. */
const NAME = 24;

const ICONS = { command: 'terminal', diff: 'edit', plan: 'checklist', json: 'tools', text: 'file' } as const;

/** `Fix the login   Bash: rm -rf build · 2 min` */
export function questionRow(item: QuestionItem, agentName: (driver: string) => string, folderName?: string): Row {
	const { question } = item.asked;
	const made = row(item.key, shortName(askingWorker(item, agentName), NAME));
	made.contextValue = 'question';
	made.iconPath = new vscode.ThemeIcon(question.kind === 'choice' ? 'question' : ICONS[question.bodyIs]);
	made.description = [askedWords(question), formatMinutes(question.askedAt), folderName].filter(Boolean).join(' · ');
	made.command = { command: 'nancy.openQuestion', title: l10n.t('Review'), arguments: [item] };
	made.accessibilityInformation = {
		label: l10n.t('Question of {0}, {1}', whoAsks(item, agentName), made.description),
	};
	return made;
}

export function questionHover(item: QuestionItem, agentName: (driver: string) => string): vscode.MarkdownString {
	const { question } = item.asked;
	const hover = tooltip(askedWords(question), [
		[l10n.t('Asked by'), whoAsks(item, agentName)],
		[l10n.t('Agent'), agentName(question.driver)],
		[l10n.t('Asked'), l10n.t('{0} ago', formatAge(question.askedAt))],
		[l10n.t('Folder'), question.cwd ?? item.folder.path],
		[l10n.t('Files'), question.files.join(', ')],
		[l10n.t('Look closely'), riskWords(question)],
	]);
	return withText(hover, question.body);
}
