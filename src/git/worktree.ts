import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { HeldFolder, namedError } from '../core/files/heldFolder.ts';
import { readUnsharedFileSync } from '../core/files/plainFile.ts';
import { branchOf, idOfBranch, WorktreeName, type Worktree } from '../protocol/worktree.ts';
import { git, lineAt, type GitPlace } from './git.ts';
import { commitTree, treeOf, withWorkingTree } from './gitTree.ts';
import { BASE_REF, worktreeFolder } from './homeCheckout.ts';
import { commitsAt } from './ownRefs.ts';
import { stopMarked } from '../process/marked.ts';
import { adminFolder, gitOverWorktrees, holdingGitLock, moveRef, refOf, tipOf } from './openWorktree.ts';
import { requireRepository, type Repository } from './repository.ts';
import { forget, removeAside, setAside } from './worktreeFolder.ts';
import { copyIncluded } from './worktreeInclude.ts';

export interface WorktreeRequest {
	/** Any folder of the checkout that it is made from. */
	folder: string;
	name: WorktreeName;
	/** With the uncommitted changes there, untracked files included. */
	withChanges: boolean;
	/** With the ignored files that `.worktreeinclude` names. */
	copyIncludes: boolean;
}

/** The environment variable by which a git is found that has outlived its starter. */
const GIT_MARK = 'NANCY_GIT';

/**
 * Makes a worktree beside the repository, on a branch of its own, from the commit that is checked out there. The checkout stays unchanged.
 * After a kill, an incomplete worktree is made anew, and a whole one is returned.
 * @throws NancyError `bad-name`; `git` with the cure if it cannot be made; `busy`
 */
export async function createWorktree(request: WorktreeRequest): Promise<Worktree> {
	const name = WorktreeName.safeParse(request.name);
	if (!name.success) throw new NancyError('bad-name', phrase`${request.name} cannot be the name of a worktree`);
	const repository = await requireRepository(request.folder);
	return holdingGitLock(repository.checkout.common, name.data, () => create(request, name.data, repository));
}

/**
 * The folder of a worktree that corresponds to a folder of the checkout.
 * @throws NancyError `git` if the worktree has none: a commit holds no empty folder, and no uncommitted one
 */
export async function folderInWorktree(worktree: Worktree, folder: string): Promise<string> {
	const prefix = await prefixIn(folder);
	const found = join(worktree.folder, prefix);
	if (existsSync(found)) return found;
	throw new NancyError(
		'git',
		phrase`the worktree has no folder ${prefix}, because nothing in that folder is committed; commit it, work from ${worktree.repository},
			or take what is not committed along`,
	);
}

/** A folder's path in its checkout, with `/` at its end; empty for the top. */
export async function prefixIn(folder: string): Promise<string> {
	return (await lineAt(folder, ['rev-parse', '--show-prefix'])) ?? '';
}

async function create(
	{ withChanges, copyIncludes }: Pick<WorktreeRequest, 'withChanges' | 'copyIncludes'>,
	name: WorktreeName,
	repository: Repository,
): Promise<Worktree> {
	const { checkout: parent } = repository;
	const { common } = parent;
	const worktree = {
		repository: repository.root,
		folder: worktreeFolder(repository.root, name),
		branch: branchOf(name),
	};
	const making = makingOf(name);

	const whole = await wholeBase(worktree.folder, common);
	const [begun, taken] = await commitsAt(parent, [making, `refs/heads/${worktree.branch}`]);
	if (whole !== undefined) {
		if (begun !== undefined) await git(parent, ['update-ref', '-d', making]);
		return { ...worktree, base: whole };
	}
	if (begun !== undefined) {
		await clearHalf(parent, worktree, begun);
		return create({ withChanges, copyIncludes }, name, repository);
	}
	assertFree(worktree, taken);

	const base = withChanges ? await snapshot(repository) : repository.head;
	await moveRef(parent, making, base, '', 'nancy: worktree');
	await moveRef(parent, `refs/heads/${worktree.branch}`, base, '', 'nancy: worktree');
	await mkdir(dirname(worktree.folder), { recursive: true });
	const env = { [GIT_MARK]: markOf(common, name) };
	const add = ['worktree', 'add', '--quiet', '--no-checkout', worktree.folder, worktree.branch];
	await gitOverWorktrees(common, parent, add, { env: { ...env, ...WITHOUT_SPARSE } });
	const gitDir = await adminFolder(common, worktree.folder);
	if (gitDir === undefined) throw new NancyError('git', phrase`git did not make the worktree ${worktree.folder}`);
	const own = { folder: worktree.folder, gitDir, common };
	await copySparse(parent, own);
	// The step that `add` would do itself, but safe while others are made as well, and with no other commit.
	await git(own, ['reset', '--hard', '--quiet', base], { env });
	if (copyIncludes) await copyIncluded(parent, worktree.folder);
	await moveRef(own, BASE_REF, base, '', 'nancy: worktree');
	await git(parent, ['update-ref', '-d', making]);
	return { ...worktree, base };
}

/** Git would copy `info/sparse-checkout`, also through a link that an agent's program makes in that moment. */
export const WITHOUT_SPARSE = {
	GIT_CONFIG_COUNT: '1',
	GIT_CONFIG_KEY_0: 'core.sparseCheckout',
	GIT_CONFIG_VALUE_0: 'false',
};

/** In bytes. */
const LONGEST_PATTERNS = 16 * 1024 * 1024;

/** As git does it at `worktree add`. @throws NancyError `bad-file` for a link, or a file with a second name */
async function copySparse(from: GitPlace, to: GitPlace): Promise<void> {
	const patterns = await inInfo(from, async file => readUnsharedFileSync(file, LONGEST_PATTERNS));
	if (patterns) await inInfo(to, file => writeFileAtomic(file, patterns), 0o777);
}

/** @param make the folder with these permission bits, if it is missing */
async function inInfo<T>(
	{ gitDir }: GitPlace,
	act: (file: string) => Promise<T>,
	make?: number,
): Promise<T | undefined> {
	const info = HeldFolder.openBelow(gitDir, join(gitDir, 'info'), make);
	try {
		return info && (await act(info.at('sparse-checkout')));
	} catch (error) {
		throw namedError(error);
	} finally {
		info?.close();
	}
}

/** The base of a worktree that is whole already. */
async function wholeBase(folder: string, common: string): Promise<string | undefined> {
	const gitDir = await adminFolder(common, folder);
	return gitDir !== undefined && existsSync(folder) ? refOf({ folder, gitDir, common }, BASE_REF) : undefined;
}

/** Exists only while the worktree is being made. So the leftovers of a kill differ from a person's worktree. */
function makingOf(name: string): string {
	return `refs/nancy/making/${name}`;
}

function markOf(common: string, name: string): string {
	return `${common} ${name}`;
}

/**
 * Removes what a kill has left of a worktree that never was whole. If the worktree is whole, or there is none, nothing is touched.
 * @param root of the repository
 */
export async function clearUnfinished(root: string, name: WorktreeName): Promise<void> {
	const { checkout: parent } = await requireRepository(root);
	const { common } = parent;
	const worktree = { repository: root, folder: worktreeFolder(root, name), branch: branchOf(name) };
	await holdingGitLock(common, name, async () => {
		const [begun] = await commitsAt(parent, [makingOf(name)]);
		if (begun !== undefined && (await wholeBase(worktree.folder, common)) === undefined)
			await clearHalf(parent, worktree, begun);
	});
}

/** Nobody has worked in it, because it never was whole. */
async function clearHalf(parent: GitPlace, { folder, branch }: Omit<Worktree, 'base'>, begun: string): Promise<void> {
	const { common } = parent;
	// The git of a killed Nancy may still be at work.
	await stopMarked(GIT_MARK, markOf(common, idOfBranch(branch)));
	if ((await adminFolder(common, folder)) !== undefined) {
		await setAside(folder);
		await forget(common, parent, folder);
	}
	await removeAside(folder);
	if ((await tipOf(parent, branch)) === begun) await git(parent, ['update-ref', '-d', `refs/heads/${branch}`, begun]);
	await git(parent, ['update-ref', '-d', makingOf(idOfBranch(branch)), begun]);
}

function assertFree({ folder, branch }: Omit<Worktree, 'base'>, tip: string | undefined): void {
	if (existsSync(folder)) {
		throw new NancyError(
			'git',
			phrase`${folder} is there already and not a worktree of Nancy's; remove or rename it`,
		);
	}
	if (tip !== undefined) {
		throw new NancyError(
			'git',
			phrase`there is a branch ${branch} already; merge it and delete it: git branch -d ${branch}`,
		);
	}
}

/** A commit of the uncommitted changes, on top of the checked-out one. If everything is committed, the checked-out commit. */
async function snapshot({ checkout: parent, head, branch }: Repository): Promise<string> {
	return withWorkingTree(parent, async ({ tree }) => {
		if (tree === (await treeOf(parent, head))) return head;
		return commitTree(parent, tree, [head], `Uncommitted changes of ${branch ?? 'a checkout without a branch'}\n`);
	});
}
