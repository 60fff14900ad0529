import type { MergeRecord } from '../protocol/merge.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { git } from './git.ts';
import { differingFiles, namesByStatus, withWorkingTree } from './gitTree.ts';
import { isThereStill } from './mergeUndo.ts';
import { asItStands, holdingGitLock, locate, MERGED_REF, type OpenWorktree } from './openWorktree.ts';

/**
 * Whether a merge that has begun has changed the checkout. The process that merged may have been killed at any point. One that still
 * merges is waited for.
 */
export async function hasMerged(worktree: Worktree, merge: MergeRecord): Promise<boolean> {
	const located = await locate(worktree);
	const { common, name } = located;
	return holdingGitLock(common, name, () =>
		holdingGitLock(common, '.merge', async () => {
			const open = await asItStands(located);
			return merge.how === 'merged' ? isThereStill(open.parent, merge) : hasApplied(open, merge);
		}),
	);
}

/** Some of the files may be written. An undo takes these back. */
async function hasApplied(
	{ parent, own, isThere }: OpenWorktree,
	{ before, after, tip }: Extract<MergeRecord, { how: 'applied' }>,
): Promise<boolean> {
	const isApplied = await withWorkingTree(parent, async ({ tree }) => {
		const changes = await namesByStatus(parent, before, after);
		const [isNotBefore, isNotAfter] = [
			new Set(await differingFiles(parent, before, tree)),
			new Set(await differingFiles(parent, after, tree)),
		];
		return changes().some(file => isNotBefore.has(file) && !isNotAfter.has(file));
	});
	if (isApplied && own && isThere) await git(own, ['update-ref', MERGED_REF, tip]);
	return isApplied;
}
