import { l10n } from 'vscode';
import { isAnythingOnly, type OnlyThere } from '../../core/delegates/batches.ts';
import type { Worktree } from '../../protocol/worktree.ts';

/** Work that exists only in a worktree, in words for the question before its removal. */

const NAMES_SHOWN = 5;

/** The part of the work that the branch can keep. */
export function keptLines({ commits, files }: OnlyThere): string[] {
	return [
		...(commits > 0 ? [l10n.t('Commits: {0}', commits)] : []),
		...(files.length > 0 ? [l10n.t('Files not committed: {0}', listed(files))] : []),
	];
}

export function nestedLines({ nested }: OnlyThere): string[] {
	return nested.length > 0 ? [l10n.t('Repositories inside, which no branch can keep: {0}', listed(nested))] : [];
}

export function ignoredLines({ ignored }: OnlyThere): string[] {
	return ignored.length > 0 ? [l10n.t('Ignored files go in any case: {0}', listed(ignored))] : [];
}

/** For the question about one worktree. */
export function lossWords({ branch }: Worktree, only: OnlyThere): string {
	const kept = keptLines(only);
	return [
		isAnythingOnly(only)
			? l10n.t('Exists only in this worktree:')
			: l10n.t('Nothing exists only in this worktree.'),
		...[...kept, ...nestedLines(only), ...ignoredLines(only)].map(line => `• ${line}`),
		...(kept.length > 0 ? [l10n.t('“Remove, Keep Branch” commits it to the branch {0}.', branch)] : []),
	].join('\n');
}

export function listed(names: readonly string[]): string {
	const shown = names.slice(0, NAMES_SHOWN).join(', ');
	const more = names.length - NAMES_SHOWN;
	return more > 0 ? l10n.t('{0} and {1} more', shown, more) : shown;
}
