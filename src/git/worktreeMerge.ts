import { NancyError } from '../base/errors.ts';
import { formatVersion, isAtLeast, parseVersion, type Version } from '../base/version.ts';
import { phrase, type Phrase } from '../base/phrase.ts';
import type { MergeRecord } from '../protocol/merge.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { mergedFiles, mergedTree } from './applied.ts';
import { unfit } from './comingWork.ts';
import { git, gitAnswer, gitList, type GitPlace } from './git.ts';
import { ownWords } from './gitFailure.ts';
import {
	branchRef,
	commitTree,
	DIFF_TREE,
	differingFiles,
	headOf,
	indexDigest,
	namesByStatus,
	withWorkingTree,
} from './gitTree.ts';
import { missing, overwritten, unknownInTheWay } from './inTheWay.ts';
import { asItStands, holdingGitLock, locate, MERGED_REF, refOf, type OpenWorktree } from './openWorktree.ts';
import { identityFor, listed, statusOf, unfinishedIn } from './repository.ts';
import { isAncestor, saveWork, workOf } from './saveWork.ts';

export type Merge =
	| {
			ok: true;
			/**
			 * `merged`: a merge commit on the checked-out one. `applied`: the files of the checkout have the changes, uncommitted.
			 * `nothing`: the changes were there already, or there are none.
			 */
			how: 'merged' | 'applied' | 'nothing';
			/** For {@link undoMerge}, unless there was nothing to merge. */
			record?: MergeRecord;
			/** Repositories inside the worktree, which stay there. */
			left?: string[];
	  }
	| {
			ok: false;
			/** The obstacle, and the cure. */
			reason: string | Phrase;
			conflicts?: string[];
	  };

type Refusal = Extract<Merge, { ok: false }>;

/** Merges without touching a file (`merge-tree --write-tree`). */
const MERGES_ASIDE: Version = [2, 38, 0];

/**
 * Changes are written outside a sparse checkout too. Git would silently leave them out, and an applied change is nowhere else once the
 * worktree is removed.
 */
export const NOT_SPARSE = {
	GIT_CONFIG_COUNT: '1',
	GIT_CONFIG_KEY_0: 'core.sparseCheckout',
	GIT_CONFIG_VALUE_0: 'false',
} as const;

/**
 * Brings a worktree's changes into the checkout that it was made from. They come as a merge commit if its base is in the checkout's
 * history, else as uncommitted changes. If that cannot be done cleanly, the checkout stays unchanged.
 * @param onBegin called right before the checkout is changed, with the record of the whole merge; see {@link hasMerged}
 */
export async function mergeWorktree(
	worktree: Worktree,
	message: string,
	onBegin: OnBegin = () => Promise.resolve(),
): Promise<Merge> {
	const located = await locate(worktree);
	const { common, name } = located;
	return holdingGitLock(common, name, () =>
		holdingGitLock(common, '.merge', async () => merge(await asItStands(located), message, onBegin)),
	);
}

type OnBegin = (record: MergeRecord) => Promise<void>;

async function merge(open: OpenWorktree, message: string, onBegin: OnBegin): Promise<Merge> {
	const { parent, record, own, isThere } = open;
	const tooOld = await gitTooOld(parent, record.branch);
	if (tooOld !== undefined) return { ok: false, reason: tooOld };
	const unfinished = (await unfinishedIn(parent)) ?? (own && isThere ? await unfinishedIn(own) : undefined);
	if (unfinished !== undefined) return { ok: false, reason: unfinished };
	const head = await headOf(parent);
	if (head === undefined)
		return { ok: false, reason: phrase`nothing is checked out in ${parent.folder}; git switch to a branch` };
	const saved = await saveWork(open, await workOf(open, false));
	if (!saved)
		return { ok: false, reason: phrase`the worktree ${record.folder} and its branch ${record.branch} are gone` };
	const left = saved.nested.length > 0 ? { left: saved.nested } : {};
	if (saved.tip === record.base || (await isAncestor(parent, saved.tip, head)))
		return { ok: true, how: 'nothing', ...left };
	const refused = await unfit(parent, record.base, saved.tip);
	if (refused) return { ok: false, ...refused };
	const ref = await branchRef(parent);
	const began: Began = { at: new Date().toISOString(), head, ...(ref !== undefined && { ref }) };
	const result = (await isAncestor(parent, record.base, head))
		? await mergeCommit(parent, began, saved.tip, message, onBegin)
		: await applyChanges(open, began, saved.tip, onBegin);
	if (result.ok && own && result.how !== 'merged') await git(own, ['update-ref', MERGED_REF, saved.tip]);
	return result.ok ? { ...result, ...left } : result;
}

/** What is checked out when the merge begins. */
type Began = Pick<MergeRecord, 'at' | 'head' | 'ref'>;

/** The merge is made aside. The checkout then moves forward to it, which git does whole, unless it is killed. */
async function mergeCommit(
	parent: GitPlace,
	began: Began,
	tip: string,
	message: string,
	onBegin: OnBegin,
): Promise<Merge> {
	const { head } = began;
	const trial = await mergedTree(parent, head, tip);
	if (!trial.ok) return conflict(trial.conflicts);
	const removed = await removedByUser(parent, head, trial.tree);
	if (removed.length > 0) return notCommitted(removed);
	const commit = await commitTree(parent, trial.tree, [head, tip], message, await identityFor(parent));
	const record: MergeRecord = { ...began, how: 'merged', commit };
	await onBegin(record);
	const forward = await git(
		parent,
		[
			'merge',
			'--ff-only',
			'--no-autostash',
			'--no-verify-signatures',
			'--no-overwrite-ignore',
			'--no-stat',
			'--quiet',
			commit,
		],
		{ answers: [1, 2, 128], env: { GIT_REFLOG_ACTION: 'nancy: merge' } },
	);
	if (forward.code === 0) return { ok: true, how: 'merged', record };
	const inTheWay = await overwritten(parent, await differingFiles(parent, head, commit));
	return inTheWay.length > 0
		? notCommitted(inTheWay)
		: { ok: false, reason: phrase`git merge: ${ownWords(forward.stderr)}` };
}

/** Like a merge of the worktree with everything in the checkout, committed or not. The index stays unchanged. */
async function applyChanges(open: OpenWorktree, began: Began, tip: string, onBegin: OnBegin): Promise<Merge> {
	const { parent, own } = open;
	return withWorkingTree(parent, async ({ tree, env }) => {
		const { ours, trial } = await mergedFiles(open, { tree, env }, tip);
		if (!trial.ok) return conflict(trial.conflicts);
		if (trial.tree === tree) return { ok: true, how: 'nothing' };
		const applied = own && (await refOf(own, MERGED_REF));
		const changes = await namesByStatus(parent, tree, trial.tree);
		const index = await indexDigest(parent, changes());
		const leftOut = await missing(parent.folder, changes('D'));
		if (leftOut.length > 0) return sparse(leftOut);
		const inTheWay = await unknownInTheWay(parent.folder, changes('A'), new Set(changes('D')));
		if (inTheWay.length > 0) return notCommitted(inTheWay);
		const after = { before: ours, after: trial.tree, index, tip, ...(applied !== undefined && { applied }) };
		const record: MergeRecord = { ...began, how: 'applied', ...after };
		await onBegin(record);
		try {
			// First checks that every file still is as in the first tree, and only then writes.
			await git(parent, ['read-tree', '-m', '-u', tree, trial.tree], { env: { ...env, ...NOT_SPARSE } });
		} catch (error) {
			if (!(error instanceof NancyError)) throw error;
			return {
				ok: false,
				reason: phrase`files have just changed in ${parent.folder}; try again (${error.said})`,
			};
		}
		return { ok: true, how: 'applied', record };
	});
}

/** Files that the user removed. Git would restore them as lost files. */
async function removedByUser(parent: GitPlace, before: string, after: string): Promise<string[]> {
	const { files } = await statusOf(parent);
	const removed = new Set(files.filter(({ state }) => state[1] === 'D').map(({ file }) => file));
	if (removed.size === 0) return [];
	const args = [...DIFF_TREE, '--name-only', '--no-renames', '--diff-filter=d', before, after];
	return (await gitList(parent, args)).filter(file => removed.has(file));
}

function conflict(conflicts: string[]): Refusal {
	return {
		ok: false,
		reason: phrase`it conflicts with what has changed in the checkout since (${listed(conflicts)}); nothing was changed`,
		conflicts,
	};
}

function notCommitted(files: string[]): Refusal {
	return {
		ok: false,
		reason: phrase`it would overwrite what is not committed in the checkout (${listed(files)}); commit that or move it away first`,
		conflicts: files,
	};
}

/** A missing file cannot be deleted: only git's index could record that. */
function sparse(files: string[]): Refusal {
	return {
		ok: false,
		reason: phrase`it deletes what the sparse checkout leaves out (${listed(files)}); have that checked out first: git sparse-checkout add`,
		conflicts: files,
	};
}

async function gitTooOld(place: GitPlace, branch: string): Promise<Phrase | undefined> {
	const version = parseVersion(await gitAnswer(place, ['version']));
	if (version && isAtLeast(version, MERGES_ASIDE)) return undefined;
	const is = version ? formatVersion(version) : phrase`of an unknown version`;
	return phrase`git is ${is}, and merging from here needs ${formatVersion(MERGES_ASIDE)}; update it, or: git merge ${branch}`;
}
