import { cutAtZeros, git, type GitPlace } from './git.ts';
import { commitTree, treeOf, withWorkingTree, type WorkingTree } from './gitTree.ts';
import { MERGED_REF, refOf, type OpenWorktree } from './openWorktree.ts';

export type Trial = { ok: true; tree: string } | { ok: false; conflicts: string[] };

/** A merge that is only tried, and touches no file. */
export async function mergedTree(
	place: GitPlace,
	ours: string,
	theirs: string,
	env: Readonly<Record<string, string>> = {},
): Promise<Trial> {
	const { code, stdout } = await git(
		place,
		['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs],
		{ answers: [1], env },
	);
	const [tree = '', ...conflicts] = cutAtZeros(stdout);
	return code === 0 ? { ok: true, tree } : { ok: false, conflicts: [...new Set(conflicts.filter(Boolean))] };
}

/**
 * A merge of a worktree with the files of the checkout that gets its changes.
 * @param tip the last commit of the work
 * @returns also a commit of the checkout's files before
 */
export async function mergedFiles(
	{ parent, record: { base } }: OpenWorktree,
	{ tree, env }: Pick<WorkingTree, 'tree' | 'env'>,
	tip: string,
): Promise<{ trial: Trial; ours: string }> {
	// The branch may have been rebased. So its tree counts, as a change of the base.
	const ours = await commitTree(parent, tree, [base], 'Files before changes of a worktree were applied\n', env);
	const theirs = await commitTree(parent, await treeOf(parent, tip), [base], 'Changes of a worktree\n', env);
	return { ours, trial: await mergedTree(parent, ours, theirs, env) };
}

/**
 * The commit whose changes were last applied to the checkout's files, while the files have all of them. The user may have taken them back,
 * by an undo or by git. Only looks.
 */
export async function appliedCommit(open: OpenWorktree): Promise<string | undefined> {
	const { own, parent, common } = open;
	const tip = own && (await refOf(own, MERGED_REF));
	if (tip === undefined) return undefined;
	const isThere = async (files: WorkingTree) => {
		const { trial } = await mergedFiles(open, files, tip);
		return trial.ok && trial.tree === files.tree;
	};
	return (await withWorkingTree(parent, isThere, { isLookInto: common })) ? tip : undefined;
}
