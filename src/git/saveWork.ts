import { appliedCommit } from './applied.ts';
import { cutAtZeros, git, gitHolds, gitLine, type GitPlace } from './git.ts';
import { commitTree, differingFiles, treeOf, withWorkingTree, type WorkingTree } from './gitTree.ts';
import { moveRef, tipOf, type OpenWorktree } from './openWorktree.ts';
import { commitsAt } from './ownRefs.ts';

/** The work of a worktree, all of it committed. */
export interface SavedWork {
	/** Holds the commits of the worktree and, last, the uncommitted changes. */
	tip: string;
	/** The branch that ends there: the worktree's own if its history allows that. */
	branch: string;
	/** Repositories inside the worktree: no commit can hold them. */
	nested: string[];
}

/** The present content of a worktree. */
export interface Work {
	/** End of its branch. */
	tip?: string | undefined;
	/** The checked-out commit, which the agent may have changed. */
	head?: string | undefined;
	/** The commit whose changes were last applied to the parent's files, if they are still there. */
	applied?: string | undefined;
	/** Its files; absent if there are none any more. */
	tree?: string;
	/** Files with changes that no commit has. */
	files: string[];
	nested: string[];
	submodules: string[];
	/** The branch holds all of it. */
	isSaved: boolean;
}

/** `isLook`: nothing is stored in the repository. */
export async function workOf(open: OpenWorktree, isLook: boolean): Promise<Work> {
	const { own, parent, record } = open;
	const refs = [`refs/heads/${record.branch}`, ...(own ? ['HEAD'] : [])];
	const [tip, head] = await commitsAt(own ?? parent, refs);
	const applied = await appliedCommit(open);
	const use = async (place: GitPlace, { tree, nested, submodules, env }: WorkingTree): Promise<Work> => {
		const since = await filesSince(place, head, tree, env);
		const isCommitted = head !== undefined && since.length === 0;
		const isSaved =
			tip === head
				? isCommitted
				: tip !== undefined && (await holds(place, tip, head, isCommitted ? undefined : tree));
		return { tip, head, applied, tree, files: isSaved ? [] : since, nested, submodules, isSaved };
	};
	const none: Work = { tip, applied, files: [], nested: [], submodules: [], isSaved: true };
	return withWork(open, isLook, use, () => Promise.resolve(none));
}

/**
 * Takes the present files of a worktree as a tree. Where its folder is gone, these are the staged ones. Looks and merges read each file, and
 * so take the same ones: an agent can have written the index.
 * @param isLook nothing is stored in the repository
 * @param otherwise if there are no such files any more
 */
export async function withWork<T>(
	{ own, common, isThere }: OpenWorktree,
	isLook: boolean,
	use: (own: GitPlace, working: WorkingTree) => Promise<T>,
	otherwise: () => Promise<T>,
): Promise<T> {
	// Staged conflicts in a missing folder make no tree.
	if (!own || (!isThere && (await hasConflicts(own)))) return otherwise();
	const options = { isLookInto: isLook ? common : undefined, isStagedOnly: !isThere, isReadAnew: true };
	return withWorkingTree(own, working => use(own, working), options);
}

/**
 * Commits the uncommitted changes of a worktree onto its branch, without touching its files. If the agent switched branches or began a
 * rebase, and the work does not continue the worktree's own branch, it goes onto one more branch. Needs the worktree's lock; may be
 * repeated. `undefined`: nothing is left of it.
 * @param work its content, not only looked at
 */
export async function saveWork(open: OpenWorktree, work: Work): Promise<SavedWork | undefined> {
	const { own, record, isThere } = open;
	const { tip, head, tree, files, nested } = work;
	if (!own || tree === undefined || work.isSaved || (head === undefined && files.length === 0))
		return tip === undefined ? undefined : { tip, branch: record.branch, nested };
	const last = files.length === 0 && head !== undefined ? head : await commitWork(own, record.branch, head, tree);
	if (tip !== undefined && !(await isAncestor(own, tip, head ?? last)))
		return { tip: last, branch: await besides(own, record.branch, last, { head, tree }), nested };
	const isCheckedOut = (await gitLine(own, ['symbolic-ref', '--quiet', 'HEAD'])) === `refs/heads/${record.branch}`;
	await moveRef(own, `refs/heads/${record.branch}`, last, tip ?? '', 'nancy: work that was not committed');
	// Only for a person who looks into the folder. Nothing here reads this index, so a stale lock of it is no reason to fail.
	if (isCheckedOut && isThere) await git(own, ['reset', '--quiet', last, '--', '.'], { answers: [1, 128] });
	return { tip: last, branch: record.branch, nested };
}

export async function isAncestor(place: GitPlace, earlier: string, later: string): Promise<boolean> {
	return earlier === later || gitHolds(place, ['merge-base', '--is-ancestor', earlier, later]);
}

/** Whether the commit has the history of `head`, and the files of `tree` if one is given. */
async function holds(place: GitPlace, commit: string, head: string | undefined, tree?: string): Promise<boolean> {
	if (tree !== undefined && (await treeOf(place, commit)) !== tree) return false;
	return head === undefined || isAncestor(place, head, commit);
}

async function filesSince(
	place: GitPlace,
	head: string | undefined,
	tree: string,
	env: Readonly<Record<string, string>>,
): Promise<string[]> {
	if (head !== undefined) return differingFiles(place, head, tree, env);
	const { stdout } = await git(place, ['ls-tree', '-r', '-z', '--name-only', tree], { env });
	return cutAtZeros(stdout);
}

function commitWork(place: GitPlace, branch: string, head: string | undefined, tree: string): Promise<string> {
	const parents = head === undefined ? [] : [head];
	return commitTree(place, tree, parents, `Work of ${branch} that was not committed\n`);
}

/**
 * A branch `nancy/<name>.2`, `.3`, … that ends at `last`. No worktree can have such a name. A branch that was made for the same work before
 * is reused.
 * @param work what such a branch has: the history of `head`, and the files of `tree` if one is given
 * @param name of one more branch of the same agent's, which is `nancy/<name>.<its name>` if there is none like that
 */
export async function besides(
	place: GitPlace,
	branch: string,
	last: string,
	{ head, tree }: { head: string | undefined; tree?: string },
	name?: string,
): Promise<string> {
	const own = name === undefined ? branch : `${branch}.${name}`;
	for (let count = name === undefined ? 2 : 1; ; count++) {
		const other = count === 1 ? own : `${own}.${count}`;
		const tip = await tipOf(place, other);
		if (tip !== undefined && (await holds(place, tip, head, tree))) return other;
		if (tip !== undefined) continue;
		const why = name === undefined ? 'work that does not continue its branch' : 'another branch of its agent';
		await moveRef(place, `refs/heads/${other}`, last, '', `nancy: ${why}`);
		return other;
	}
}

async function hasConflicts(place: GitPlace): Promise<boolean> {
	return (await git(place, ['ls-files', '--unmerged', '-z'])).stdout.length > 0;
}
