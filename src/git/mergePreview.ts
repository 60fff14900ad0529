import type { Worktree } from '../protocol/worktree.ts';
import { appliedCommit } from './applied.ts';
import { gitLine } from './git.ts';
import { branchRef, headOf } from './gitTree.ts';
import { openWorktree, tipOf, type OpenWorktree } from './openWorktree.ts';
import { isAncestor } from './saveWork.ts';
import { changesSince } from './worktreeChanges.ts';

/** What a merge would bring into the checkout. Whether it conflicts shows only when it is tried. */
export interface MergePreview {
	/** As `Merge` has it: a merge commit, or uncommitted changes. */
	how: 'merged' | 'applied';
	files: number;
	/** Lines; binary files count as none. */
	insertions: number;
	deletions: number;
	/** The checked-out branch; absent if none is. */
	branch?: string;
	/** The checked-out commit; absent before the first one. */
	commit?: string;
}

/** Only looks. What was merged before, and is still there, does not count again. */
export async function previewMerge(worktree: Worktree): Promise<MergePreview> {
	const open = await openWorktree(worktree);
	const { parent, record } = open;
	const [commit, ref] = [await headOf(parent), await branchRef(parent)];
	const isCommit = commit !== undefined && (await isAncestor(parent, record.base, commit));
	const since = isCommit ? await lastShared(open, commit) : await appliedCommit(open);
	const { files, insertions, deletions } = await changesSince(open, since ?? record.base);
	return {
		how: isCommit ? 'merged' : 'applied',
		files: files.length,
		insertions,
		deletions,
		...(ref !== undefined && { branch: ref.replace(/^refs\/heads\//, '') }),
		...(commit !== undefined && { commit }),
	};
}

/** The last commit of the work that the checkout has already. */
async function lastShared({ own, parent, record }: OpenWorktree, commit: string): Promise<string | undefined> {
	const work = own ? await headOf(own) : await tipOf(parent, record.branch);
	return work && gitLine(parent, ['merge-base', commit, work]);
}
