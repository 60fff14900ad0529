import { l10n } from 'vscode';
import type { Reason } from '../../protocol/memoryNames.ts';
import type { ExtractedOutput, WithoutNotes } from '../../protocol/output/memory.ts';
import { noNotesWords, proposedWord, reasonWords as reasonPhrase } from '../../words/notes.ts';
import { translated } from '../kit/translated.ts';
import type { KnownNote, KnownTask, Section, WaitingNote } from './memoryItems.ts';

export function sectionWords(section: Section): string {
	switch (section) {
		case 'review':
			return l10n.t('To Review');
		case 'plan':
			return l10n.t('Plan');
		case 'failures':
			return l10n.t('Pitfalls');
		case 'decisions':
			return l10n.t('Decisions');
		case 'architecture':
			return l10n.t('Architecture');
		case 'tasks':
			return l10n.t('Tasks');
	}
}

/** `undefined` for a note whose lines still stand. */
export function freshnessWords(freshness: KnownNote['freshness']): string | undefined {
	switch (freshness) {
		case 'fresh':
		case 'moved':
			return undefined;
		case 'changed':
			return l10n.t('lines changed');
		case 'gone':
			return l10n.t('lines gone');
		case 'elsewhere':
			return l10n.t('other branch');
	}
}

export function proposedWords(what: WaitingNote['what']): string {
	return translated(proposedWord(what));
}

/** Why something waits for a person. */
export function reasonWords(reason: Reason): string {
	return translated(reasonPhrase(reason));
}

export function extractionWords(task: KnownTask): string {
	const why = whyWords(task);
	switch (task.extraction) {
		case 'none':
			return l10n.t('not ended');
		case 'due':
			return l10n.t('notes are due');
		case 'running':
		case 'answered':
			return l10n.t('notes are being made');
		case 'merged':
			return l10n.t('notes made');
		case 'skipped':
			return why === undefined ? l10n.t('no notes') : l10n.t('no notes: {0}', why);
		case 'failed':
			return why === undefined ? l10n.t('notes failed') : l10n.t('notes failed: {0}', why);
	}
}

function whyWords(without: WithoutNotes): string | undefined {
	const words = noNotesWords(without);
	return words === undefined ? undefined : translated(words);
}

/** What an extraction has brought. */
export function extractedWords(done: ExtractedOutput): string {
	const { state, task, added, confirmed, held, plan } = done;
	if (state === 'none' || task === undefined) return l10n.t('No task waits for its notes.');
	if (state === 'failed') return l10n.t('No notes of task {0}: {1}', task, whyWords(done) ?? '');
	const count = Object.values(added).reduce((sum, each) => sum + each, 0);
	const facts = [
		...(count === 0 ? [] : [l10n.t('{0} new', count)]),
		...(plan === 'updated' ? [l10n.t('plan updated')] : []),
		...(confirmed === 0 ? [] : [l10n.t('{0} confirmed', confirmed)]),
		...(held === 0 ? [] : [l10n.t('{0} to review', held)]),
	];
	return l10n.t('Notes of task {0}: {1}.', task, facts.join(', ') || l10n.t('nothing new'));
}
