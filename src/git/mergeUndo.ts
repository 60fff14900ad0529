import { NancyError } from '../base/errors.ts';
import { phrase, type Phrase } from '../base/phrase.ts';
import type { MergeRecord } from '../protocol/merge.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { git, gitAnswer, gitHolds, gitLine, gitList, type GitPlace } from './git.ts';
import { branchRef, differingFiles, headOf, indexDigest, namesByStatus, withWorkingTree } from './gitTree.ts';
import { overwritten, unknownInTheWay } from './inTheWay.ts';
import { asItStands, holdingGitLock, locate, MERGED_REF, moveRef, refOf, type OpenWorktree } from './openWorktree.ts';
import { listed, unfinishedIn } from './repository.ts';
import { isAncestor } from './saveWork.ts';
import { NOT_SPARSE } from './worktreeMerge.ts';

export type MergeUndo = Undone | Refusal;

interface Undone {
	ok: true;
	/** The branch had the merge commit no more, so nothing was changed. */
	isGone?: true;
}

interface Refusal {
	ok: false;
	/** What has changed since the merge. */
	reason: string | Phrase;
}

type Of<How extends MergeRecord['how']> = Extract<MergeRecord, { how: How }>;

/**
 * Takes a merge back, while the checkout is still as the merge left it. It is on the same branch and commit, with the files and index
 * entries that the merge wrote. Other files of the checkout, committed or not, stay as they are. If anything has changed, nothing is
 * touched. A part that is already as it was before the merge is no change. An undo that was killed goes on from there, and the user may
 * have taken the merge back.
 * @param merge the last one of this worktree, from a sealed record
 */
export async function undoMerge(worktree: Worktree, merge: MergeRecord): Promise<MergeUndo> {
	const located = await locate(worktree);
	const { common, name } = located;
	return holdingGitLock(common, name, () =>
		holdingGitLock(common, '.merge', async () => undo(await asItStands(located), merge)),
	);
}

async function undo(open: OpenWorktree, merge: MergeRecord): Promise<MergeUndo> {
	const { parent, own, isThere, record } = open;
	// The merge may be the only place that still has the work.
	if (!own || !isThere)
		return refused(phrase`the worktree ${record.folder} is gone, and only the merge may have its work`);
	if (merge.how === 'merged' && !(await isThereStill(parent, merge))) return { ok: true, isGone: true };
	const inTheWay = (await unfinishedIn(parent)) ?? (await movedOn(parent, merge));
	if (inTheWay !== undefined) return refused(inTheWay);
	return merge.how === 'merged' ? takeCommitBack(parent, merge) : takeChangesBack(parent, own, merge);
}

/** Whether another branch or commit is checked out by now, as a sentence. */
async function movedOn(parent: GitPlace, merge: MergeRecord): Promise<Phrase | undefined> {
	const ref = await branchRef(parent);
	if (ref !== merge.ref)
		return phrase`it went into ${branchWords(merge.ref)}, and ${branchWords(ref)} is checked out now`;
	const expected = merge.how === 'merged' ? merge.commit : merge.head;
	if ((await headOf(parent)) === expected) return undefined;
	return phrase`${branchWords(ref)} has moved to another commit since the merge`;
}

/** Whether the merge commit is on the branch it went into. If that branch is gone or renamed: on the checked-out commit or any branch. */
export async function isThereStill(parent: GitPlace, { ref, commit }: Of<'merged'>): Promise<boolean> {
	// Git may have removed the commit itself.
	if (!(await gitHolds(parent, ['cat-file', '-e', commit]))) return false;
	const branch = ref === undefined ? undefined : await refOf(parent, ref);
	if (branch !== undefined) return isAncestor(parent, commit, branch);
	const head = await headOf(parent);
	if (head !== undefined && (await isAncestor(parent, commit, head))) return true;
	const containing = ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/heads'];
	return (await gitLine(parent, containing)) !== undefined;
}

/** The files go back first. Then the branch does, unless it has moved meanwhile. */
async function takeCommitBack(parent: GitPlace, { ref = 'HEAD', head, commit }: Of<'merged'>): Promise<MergeUndo> {
	const unpushed = ['rev-list', '--count', '--max-count=1', commit, '--not', '--remotes'];
	if ((await gitAnswer(parent, unpushed)) === '0') return refused(phrase`it is on a remote already; use git revert`);
	const changed = await overwritten(parent, await differingFiles(parent, head, commit));
	const others = await notBack(parent, changed, { head, commit });
	if (others.length > 0) return changedSince(others);
	if (changed.length > 0) await setIndexBack(parent, changed, head);
	const restored = await moveFiles(parent, commit, head);
	if (!restored.ok) return restored;
	try {
		await git(parent, ['update-ref', '-m', 'nancy: undo merge', ref, head, commit]);
	} catch (error) {
		await moveFiles(parent, head, commit);
		throw error;
	}
	return { ok: true };
}

/** Files that are not as they were before the merge, or are staged as something else than before and after it. */
async function notBack(
	parent: GitPlace,
	changed: readonly string[],
	{ head, commit }: Pick<Of<'merged'>, 'head' | 'commit'>,
): Promise<string[]> {
	if (changed.length === 0) return [];
	const staged = async (since: string) =>
		new Set(await gitList(parent, ['diff-index', '--cached', '-z', '--name-only', '--no-renames', since]));
	const [isNotHead, isNotCommit] = [await staged(head), await staged(commit)];
	const isOther = await withWorkingTree(
		parent,
		async ({ tree, env }) => new Set(await differingFiles(parent, head, tree, env)),
		{ isLookInto: parent.common },
	);
	return changed.filter(file => isOther.has(file) || (isNotHead.has(file) && isNotCommit.has(file)));
}

/** Only the index: git moves no file whose entry is not as the file is. */
async function setIndexBack(parent: GitPlace, files: readonly string[], head: string): Promise<void> {
	const args = ['reset', '--quiet', '--pathspec-from-file=-', '--pathspec-file-nul', head];
	await git(parent, args, { input: files.join('\0'), env: { GIT_LITERAL_PATHSPECS: '1' } });
}

/** In the user's own index, in which files that are staged stay so. */
async function moveFiles(parent: GitPlace, from: string, to: string): Promise<MergeUndo> {
	// Else git takes a file for changed whose content was only written anew.
	await git(parent, ['update-index', '-q', '--refresh'], { answers: [1] });
	return moveTree(parent, from, to);
}

/** By the reverse of the patch, through an index that has all files as they are. */
async function takeChangesBack(parent: GitPlace, own: GitPlace, merge: Of<'applied'>): Promise<MergeUndo> {
	const { before, after, index, tip, applied } = merge;
	const last = await refOf(own, MERGED_REF);
	if (last !== tip && last !== applied) return refused(phrase`it is not the last merge of this worktree`);
	const undone = await withWorkingTree(parent, async ({ tree, env }) => {
		const changes = await namesByStatus(parent, after, before);
		const touched = new Set(await differingFiles(parent, after, tree));
		const differs = new Set(await differingFiles(parent, before, tree));
		const changed = changes().filter(file => touched.has(file) && differs.has(file));
		if (changed.length > 0) return changedSince(changed);
		if ((await indexDigest(parent, changes())) !== index)
			return refused(phrase`some of its files were staged since, or are no longer; set git's index back first`);
		const comes = changes('A').filter(file => differs.has(file));
		const inTheWay = await unknownInTheWay(parent.folder, comes, new Set(changes('D')));
		return inTheWay.length > 0
			? changedSince(inTheWay)
			: moveTree(parent, after, before, { ...env, ...NOT_SPARSE });
	});
	if (!undone.ok) return undone;
	// What counts as brought into the checkout, and so may go with the worktree.
	if (last !== tip) return undone;
	if (applied === undefined) await git(own, ['update-ref', '-d', MERGED_REF, tip]);
	else await moveRef(own, MERGED_REF, applied, tip, 'nancy: undo merge');
	return undone;
}

/** First checks that every file still is as in the first tree, and only then writes. */
async function moveTree(
	parent: GitPlace,
	from: string,
	to: string,
	env: Readonly<Record<string, string>> = {},
): Promise<MergeUndo> {
	try {
		await git(parent, ['read-tree', '-m', '-u', from, to], { env });
		return { ok: true };
	} catch (error) {
		if (!(error instanceof NancyError)) throw error;
		return refused(phrase`files have just changed in ${parent.folder}; try again (${error.said})`);
	}
}

function branchWords(ref: string | undefined): string | Phrase {
	return ref === undefined ? phrase`a commit without a branch` : ref.replace(/^refs\/heads\//, '');
}

function changedSince(files: readonly string[]): Refusal {
	return refused(phrase`its files have changed since (${listed(files)})`);
}

function refused(reason: Phrase): Refusal {
	return { ok: false, reason };
}
