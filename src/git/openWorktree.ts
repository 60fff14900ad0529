import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTextIfExists } from '../base/atomicFile.ts';
import { errorText, hasErrno, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { realOr } from '../base/realPath.ts';
import { holdingLock } from '../core/files/holdingLock.ts';
import { idOfBranch, Worktree, WorktreeName } from '../protocol/worktree.ts';
import { git, requireCommon, type GitOptions, type GitOutput, type GitPlace } from './git.ts';
import { checkoutAt, worktreeFolder } from './homeCheckout.ts';
import { commitsAt } from './ownRefs.ts';
import { refuseLinksIn } from './requireOwnGit.ts';

/** A worktree, and git's folders of it. */
export interface LocatedWorktree {
	record: Worktree;
	name: WorktreeName;
	/** The checkout that gets its changes. */
	parent: GitPlace;
	/** Git's folder that both share. */
	common: string;
}

/** A worktree as it is on disk. */
export interface OpenWorktree extends LocatedWorktree {
	/** The worktree's own folder of git, while git knows it. If its folder is gone (`isThere`), only refs and the index can be asked. */
	own?: GitPlace;
	isThere: boolean;
}

/** The commit whose changes were last applied to the parent's files. */
export const MERGED_REF = 'refs/worktree/nancy-merged';

const PATIENCE_MS = 120_000;
const TRIES = 5;
const PAUSE_MS = 50;

/** @throws NancyError `bad-file` for a record that Nancy did not make, `git` when the repository is gone */
export async function openWorktree(worktree: Worktree): Promise<OpenWorktree> {
	return asItStands(await locate(worktree));
}

/** @throws NancyError as {@link openWorktree} does */
export async function locate(worktree: Worktree): Promise<LocatedWorktree> {
	const record = Worktree.safeParse(worktree);
	const name = WorktreeName.safeParse(record.data && idOfBranch(record.data.branch));
	// Everything below is removed, so a record may not name any other folder.
	if (!record.success || !name.success || record.data.folder !== worktreeFolder(record.data.repository, name.data)) {
		throw new NancyError('bad-file', phrase`${JSON.stringify(worktree)} is not a worktree of Nancy's`);
	}
	const { repository } = record.data;
	if (!existsSync(repository)) {
		throw new NancyError(
			'git',
			phrase`${repository}, the repository of the worktree ${name.data}, is gone; move it back and try again`,
		);
	}
	const parent = await checkoutAt(repository);
	return { record: record.data, name: name.data, parent, common: parent.common };
}

export async function asItStands(located: LocatedWorktree): Promise<OpenWorktree> {
	const { record, parent, common } = located;
	const gitDir = await adminFolder(common, record.folder);
	const isThere = existsSync(record.folder);
	const folder = isThere ? record.folder : parent.folder;
	return { ...located, isThere, ...(gitDir !== undefined && { own: { folder, gitDir, common } }) };
}

/** A lock over all processes, for a worktree or for a checkout that gets changes. Both locks are in git's folder. */
export function holdingGitLock<T>(
	common: string,
	name: WorktreeName | '.merge' | '.worktrees',
	run: () => Promise<T>,
): Promise<T> {
	return holdingLock(join(common, 'nancy', `${name}.lock`), run, PATIENCE_MS);
}

/**
 * A git command that looks at all worktrees. It fails if another git is just making one. Nancy's own calls wait for each other; calls of a
 * person or of another tool get a moment.
 */
export function gitOverWorktrees(
	common: string,
	place: GitPlace,
	args: readonly string[],
	options: GitOptions = {},
): Promise<GitOutput> {
	return holdingGitLock(common, '.worktrees', async () => {
		for (let tries = 1; ; tries++) {
			try {
				return await git(place, args, options);
			} catch (error) {
				if (tries === TRIES || !/failed to read .*worktrees/.test(errorText(error))) throw error;
				await sleep(PAUSE_MS);
			}
		}
	});
}

/** The commit at the end of a branch; `undefined` if there is no such branch. */
export function tipOf(place: GitPlace, branch: string): Promise<string | undefined> {
	return refOf(place, `refs/heads/${branch}`);
}

export async function refOf(place: GitPlace, ref: string): Promise<string | undefined> {
	const [commit] = await commitsAt(place, [ref]);
	return commit;
}

/** Moves a ref, only while it is at `from`; `''` means that there is none. */
export async function moveRef(place: GitPlace, ref: string, to: string, from: string, why: string): Promise<void> {
	await git(place, ['update-ref', '-m', why, ref, to, from]);
}

/**
 * The folder of git's records of the worktree at `folder`. Read from git's own files, because the output of `worktree list` is ambiguous
 * before git 2.36.
 * @throws NancyError `not-trusted` if the worktree has been led to another repository: an agent can write there
 */
export async function adminFolder(common: string, folder: string): Promise<string | undefined> {
	const all = join(common, 'worktrees');
	const names = await readdir(all).catch((error: unknown) => {
		if (hasErrno(error, 'ENOENT')) return [];
		throw error;
	});
	for (const name of names) {
		const text = await readTextIfExists(join(all, name, 'gitdir'));
		if (text === undefined) continue;
		const listed = dirname(resolve(join(all, name), text.replace(/\n$/, '')));
		if (listed !== folder && realOr(listed) !== realOr(folder)) continue;
		const found = join(all, name);
		requireCommon(found, common);
		await refuseLinksIn(folder, common);
		return found;
	}
	return undefined;
}
