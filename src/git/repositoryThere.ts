import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { hasErrno, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { realOr } from '../base/realPath.ts';
import { removeTree } from '../base/removeTree.ts';
import { onPath } from '../base/searchPath.ts';
import { uniqueHex } from '../base/unique.ts';
import { readMark, readPlainText } from '../core/files/plainFile.ts';
import { borrowObjects } from './borrowedObjects.ts';
import { git, gitList, type GitPlace } from './git.ts';
import { commitTree, headOf, treeOf, withWorkingTree } from './gitTree.ts';
import { adminFolder, gitOverWorktrees, refOf } from './openWorktree.ts';
import { nameOtherWork } from './otherWork.ts';
import { baseRef, resultRef } from './remoteRefs.ts';
import { listed } from './repository.ts';
import { isAncestor } from './saveWork.ts';

/** Git's folders of a job, on the machine that runs it for another. */
export interface JobGit {
	id: string;
	/** The bare repository of its project, for the commits that jobs begin with. */
	shared: string;
	/**
	 * Its own bare repository, which finds the objects of the shared one. Its agent's branches, tags, stashes and settings are there, and meet
	 * none of another job. A job that an earlier Nancy has begun has none: its worktree is one of the shared repository.
	 */
	own: string;
	/** Its worktree. */
	folder: string;
}

/**
 * A shallow clone has commits whose parents are nowhere. What no ref of the shared repository names may be in a commit of a job's own: git finds it
 * there and does not write it again.
 */
const OWN_SETTINGS =
	'[core]\n\trepositoryformatversion = 0\n\tbare = true\n' +
	'[receive]\n\tshallowUpdate = true\n' +
	'[gc]\n\tpruneExpire = 90.days.ago\n';

/** Takes out what agents have set. A program there, as by `git lfs install --local`, has git refuse. */
async function resetSettings(repository: string): Promise<void> {
	const file = join(repository, 'config');
	if ((await readMark(file)) !== OWN_SETTINGS) await writeFileAtomic(file, OWN_SETTINGS);
}

/**
 * The whole path of this machine's git. Calls of `ssh` without a login shell may find another one.
 * @throws NancyError `git` if there is none
 */
export function gitHere(): string {
	const found = onPath('git', process.env);
	if (found === undefined) throw new NancyError('git', phrase`git is not installed, or not on the PATH`);
	return found;
}

/** A bare repository, made whole or not at all. Its settings are Nancy's own. Returns its real path. */
export async function bareRepository(folder: string): Promise<string> {
	if (!existsSync(folder)) {
		const temp = `${folder}.new-${uniqueHex(8)}`;
		for (const each of ['objects', 'refs']) await mkdir(join(temp, each), { recursive: true, mode: 0o700 });
		await writeFile(join(temp, 'HEAD'), 'ref: refs/heads/none\n');
		await writeFile(join(temp, 'config'), OWN_SETTINGS);
		await rename(temp, folder).catch((error: unknown) => {
			if (!hasErrno(error, 'ENOTEMPTY', 'EEXIST')) throw error;
		});
		await removeTree(temp);
	}
	await resetSettings(folder);
	return realpathSync(folder);
}

/** Whether a job has a repository of its own. It throws where the disk does not say. */
function hasOwn({ own }: JobGit): boolean {
	return lstatSync(own, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The repository with a job's worktree and its work, by its real path. */
export async function repositoryOf(job: JobGit): Promise<string> {
	return bareRepository(hasOwn(job) ? job.own : job.shared);
}

function bare(repository: string): GitPlace {
	return { folder: repository, gitDir: repository, common: repository };
}

/**
 * Makes the worktree of a job, with the commit that was sent, in a repository of its own. Both are made anew if they are there: nothing has
 * worked in them yet.
 * @throws NancyError `wrong-state` after {@link forgetThere}: a start that came late would run the job again
 */
export async function checkoutThere(job: JobGit, base: string): Promise<void> {
	const shared = await bareRepository(job.shared);
	if ((await refOf(bare(shared), baseRef(job.id))) !== base)
		throw new NancyError('wrong-state', phrase`the commit that this job begins with is not here, or no longer`);
	for (const each of [job.folder, job.own]) await removeTree(each);
	const own = await bareRepository(job.own);
	await borrowObjects(shared, own);
	// Where its history ends, if it came from a shallow clone.
	const shallow = await readPlainText(join(shared, 'shallow'));
	if (shallow !== undefined) await writeFileAtomic(join(own, 'shallow'), shallow);
	await git(bare(own), ['update-ref', baseRef(job.id), base]);
	await gitOverWorktrees(own, bare(own), ['worktree', 'add', '--quiet', '--detach', job.folder, base]);
}

/** The worktree of a job; `undefined` if it is none any more. */
async function worktreeOf(job: JobGit): Promise<GitPlace | undefined> {
	const common = await repositoryOf(job);
	const gitDir = await adminFolder(common, job.folder);
	if (gitDir === undefined) return undefined;
	// Its agent may have named others.
	if (hasOwn(job)) await borrowObjects(realOr(job.shared), common);
	return { folder: job.folder, gitDir, common };
}

/**
 * Commits everything in the worktree, and names it for `fetchWork`, with the other work of its agent. Returns the commit. A repeat returns the
 * same one. If files have changed since, the new commit continues it: it may have been fetched.
 */
export async function commitThere(job: JobGit): Promise<string> {
	const { id, folder } = job;
	const own = await worktreeOf(job);
	if (own === undefined) throw new NancyError('git', phrase`${folder} is no worktree any more`);
	const tip = await withWorkingTree(own, async ({ tree }) => {
		const head = await headOf(own);
		const named = await refOf(own, resultRef(id));
		const isContinued = named !== undefined && (head === undefined || (await isAncestor(own, head, named)));
		const last = isContinued ? named : head;
		if (last !== undefined && (await treeOf(own, last)) === tree) return last;
		return commitTree(own, tree, last === undefined ? [] : [last], `nancy: uncommitted work of ${id}\n`);
	});
	await git(bare(own.common), ['update-ref', resultRef(id), tip]);
	// In the shared repository nobody knows whose they are.
	if (hasOwn(job)) await nameOtherWork(own, id, tip);
	return tip;
}

/** How a listing of the index begins that names a commit of another repository. */
const LINK = '160000 ';

/**
 * No commit holds a repository that an agent has made in its worktree, so the worktree is not removed with it.
 * @throws NancyError `wrong-state` with the names of such repositories
 */
export async function refuseNested(job: JobGit): Promise<void> {
	const { folder } = job;
	// Git has a worktree still that is removed already, or that its agent has removed.
	if (!existsSync(folder) || !(hasOwn(job) || existsSync(job.shared))) return;
	const own = await worktreeOf(job);
	if (own === undefined) return;
	const untracked = await gitList(own, ['ls-files', '-z', '--others', '--exclude-standard']);
	const staged = await gitList(own, ['ls-files', '-z', '--stage']);
	const linked = staged.flatMap(line => (line.startsWith(LINK) ? [line.slice(line.indexOf('\t') + 1)] : []));
	const nested = [
		...untracked.filter(file => file.endsWith('/')),
		...linked.filter(file => existsSync(join(folder, file, '.git'))),
	];
	if (nested.length === 0) return;
	throw new NancyError(
		'wrong-state',
		phrase`${listed(nested)} in ${folder} is a repository of its own, which is in no commit; move it away, or remove it`,
	);
}

/** Removes the worktree and its repository, and what named commits for it in the shared one. */
export async function forgetThere(job: JobGit): Promise<void> {
	const isOwn = hasOwn(job);
	await removeTree(job.folder);
	await removeTree(job.own);
	if (!existsSync(job.shared)) return;
	const shared = await bareRepository(job.shared);
	if (!isOwn) await gitOverWorktrees(shared, bare(shared), ['worktree', 'prune', '--expire=now']);
	for (const ref of [baseRef(job.id), resultRef(job.id)])
		if ((await refOf(bare(shared), ref)) !== undefined) await git(bare(shared), ['update-ref', '-d', ref]);
}
