import { l10n } from 'vscode';
import { askLine } from '../kit/inputs.ts';
import { ask } from '../kit/messages.ts';
import type { MergeOutcome, MergePreview } from '../ports.ts';
import { mergeSubject } from './mergeSubject.ts';

/** What a merge will do, before it is done. */

/** In characters, of a commit that no branch names. */
const SHORT_COMMIT = 8;

/**
 * Asks for the subject of the merge commit, or whether to change the files if there is no commit.
 * @param fullTitle the delegate's, from which the subject is offered
 * @returns undefined if the user cancels
 */
export async function askForMerge(
	label: string,
	fullTitle: string,
	preview: MergePreview,
): Promise<string | undefined> {
	const title = l10n.t('Merge “{0}”: {1}', label, mergeWords(preview));
	const subject = mergeSubject(fullTitle);
	if (preview.how === 'merged')
		return askLine(title, l10n.t('The subject of the merge commit'), {
			value: subject,
			empty: l10n.t('A commit needs a subject.'),
		});
	const button = l10n.t('Merge');
	const detail = l10n.t(
		'The worktree did not begin at a commit that you have. So your files get the changes, and nothing is committed.',
	);
	return (await ask(title, detail, button)) === button ? subject : undefined;
}

type Merged = Extract<MergeOutcome, { ok: true }>;

export function mergedWords(title: string, preview: MergePreview, { how, left = [] }: Merged): string {
	const said = howMerged(title, preview, how);
	if (left.length === 0) return said;
	return [
		said,
		l10n.t('Repositories of their own stay in the worktree, and are not merged: {0}.', left.join(', ')),
	].join(' ');
}

function howMerged(title: string, preview: MergePreview, how: Merged['how']): string {
	switch (how) {
		case 'merged':
			return l10n.t('Merged “{0}”: {1}.', title, mergeWords(preview));
		case 'applied':
			return l10n.t('Your files have the changes of “{0}” now, not committed: {1}.', title, mergeWords(preview));
		case 'nothing':
			return l10n.t('There is nothing left to merge of “{0}”.', title);
	}
}

/** `3 files, +40 −2, into main` */
function mergeWords({ files, insertions, deletions, branch, commit = '' }: MergePreview): string {
	const counted = files === 1 ? l10n.t('1 file') : l10n.t('{0} files', files);
	const into = branch ?? l10n.t('{0}, which is on no branch', commit.slice(0, SHORT_COMMIT));
	return l10n.t('{0}, +{1} −{2}, into {3}', counted, insertions, deletions, into);
}
