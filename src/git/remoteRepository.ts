import { existsSync, realpathSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomicFile.ts';
import { hasErrno, isNancyError, NancyError } from '../base/errors.ts';
import { removeTree } from '../base/removeTree.ts';
import { onPath } from '../base/searchPath.ts';
import { phrase } from '../base/phrase.ts';
import { uniqueHex } from '../base/unique.ts';
import { readMark } from '../core/files/plainFile.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { git, gitAnswer, gitList, type GitPlace } from './git.ts';
import { commitTree, headOf, treeOf, withWorkingTree } from './gitTree.ts';
import {
	adminFolder,
	gitOverWorktrees,
	holdingGitLock,
	openWorktree,
	refOf,
	type OpenWorktree,
} from './openWorktree.ts';
import { listed } from './repository.ts';
import { besides, isAncestor } from './saveWork.ts';

/** The way to one repository on another machine. */
export interface Transport {
	/** `GIT_SSH_COMMAND` of a program there. It alone decides about machine and repository. It says {@link LOST} if that is why it failed. */
	command(program: 'receive-pack' | 'upload-pack'): string;
	/** In milliseconds since 1970. */
	deadlineMs: number;
	/** Ends a call with an error. */
	signal?: AbortSignal | undefined;
}

/**
 * Git only splits it: see {@link Transport}. Nobody can know it beforehand, and it stands for itself. Otherwise settings of the repository could
 * make it a helper's (`remote.<url>.vcs`, `url.<base>.insteadOf`). As the protocol must be `ssh`, git would run `alias.remote-ssh`.
 */
function anyUrl(): string {
	return `ssh://${crypto.randomUUID()}/repository`;
}

const baseRef = (id: string) => `refs/nancy-base/${id}`;
const resultRef = (id: string) => `refs/nancy-result/${id}`;
/** The work that came back, until it is in its worktree or on a branch. */
const arrivedRef = (id: string) => `refs/nancy-arrived/${id}`;

function variables(
	transport: Transport,
	program: Parameters<Transport['command']>[0],
	url: string,
): Record<string, string> {
	const settings = [
		// What comes back was made on a machine that is not trusted.
		['fetch.fsckObjects', 'true'],
		// The longest one counts.
		[`url.${url}.insteadOf`, url],
		[`url.${url}.pushInsteadOf`, url],
	];
	return {
		GIT_SSH_COMMAND: transport.command(program),
		// Without it, git asks the program which kind of ssh it is.
		GIT_SSH_VARIANT: 'ssh',
		GIT_ALLOW_PROTOCOL: 'ssh',
		GIT_CONFIG_COUNT: `${settings.length}`,
		...Object.fromEntries(
			settings.flatMap(([key, value], at) => [
				[`GIT_CONFIG_KEY_${at}`, key],
				[`GIT_CONFIG_VALUE_${at}`, value],
			]),
		),
	};
}

/** Sends the commit that a worktree begins with. A repeat sends nothing. */
export async function sendBase(worktree: Worktree, id: string, transport: Transport): Promise<void> {
	const { parent } = await openWorktree(worktree);
	const place = { ...parent, deadlineMs: transport.deadlineMs };
	const closed = ['--quiet', '--no-verify', '--no-follow-tags', '--no-signed', '--recurse-submodules=no'];
	const url = anyUrl();
	await git(place, ['push', ...closed, url, `+${worktree.base}:${baseRef(id)}`], {
		env: variables(transport, 'receive-pack', url),
		signal: transport.signal,
	});
}

/** The work is here, on a branch of its own. Says which one, and why. */
export class WorkBesides extends NancyError {}

/**
 * Fetches the work of a delegate, and brings it into its worktree here. A repeat changes nothing.
 * @throws WorkBesides if the worktree is not there, or cannot take it, as it does not continue what that began with
 * @throws NancyError `git` if the repository is gone, `busy` if the worktree is being merged or removed for long: the work has not come
 */
export async function fetchWork(worktree: Worktree, id: string, transport: Transport): Promise<void> {
	const { parent, common, name } = await openWorktree(worktree);
	const ref = arrivedRef(id);
	const url = anyUrl();
	const closed = [
		'--quiet',
		'--no-tags',
		'--no-write-fetch-head',
		'--no-prune',
		'--no-recurse-submodules',
		'--refmap=',
	];
	await git({ ...parent, deadlineMs: transport.deadlineMs }, ['fetch', ...closed, url, `+${resultRef(id)}:${ref}`], {
		env: variables(transport, 'upload-pack', url),
	});
	const tip = await gitAnswer(parent, ['rev-parse', '--verify', `${ref}^{commit}`]);
	// A person may be merging or removing it.
	await holdingGitLock(common, name, async () => {
		const refusal = await bringIn(await openWorktree(worktree), tip);
		const why =
			refusal &&
			phrase`its worktree does not take its commits, so branch ${await besides(parent, worktree.branch, tip, { head: tip })} holds them: ${refusal.said}`;
		await git(parent, ['update-ref', '-d', ref, tip]);
		if (why) throw new WorkBesides('git', why);
	});
}

/** Returns why the worktree does not take the commit. */
async function bringIn({ own, isThere, record }: OpenWorktree, tip: string): Promise<NancyError | undefined> {
	if (tip === record.base) return undefined;
	if (!own || !isThere) return new NancyError('git', phrase`${record.folder} is not there`);
	const head = await headOf(own);
	// It came in earlier, and the worktree has gone on.
	if (head !== undefined && (await isAncestor(own, tip, head))) return undefined;
	if (head === undefined || !(await isAncestor(own, head, tip)))
		return new NancyError('git', phrase`its commits do not continue what it began with`);
	try {
		await git(own, ['merge', '--quiet', '--ff-only', tip]);
		return undefined;
	} catch (error) {
		if (isNancyError(error) && error.code === 'git') return error;
		throw error;
	}
}

/** A shallow clone has commits whose parents are nowhere. */
const OWN_SETTINGS = '[core]\n\trepositoryformatversion = 0\n\tbare = true\n[receive]\n\tshallowUpdate = true\n';

/**
 * On the other machine: takes out what agents have set. All jobs of a project share the repository, and each of their worktrees its settings. A
 * program in them, as by `git lfs install --local`, had git refuse every later job.
 */
async function resetSettings(repository: string): Promise<void> {
	const file = join(repository, 'config');
	if ((await readMark(file)) !== OWN_SETTINGS) await writeFileAtomic(file, OWN_SETTINGS);
}

/**
 * On the other machine: the whole path of its git. Calls of `ssh` without a login shell may find another one.
 * @throws NancyError `git` if there is none
 */
export function gitHere(): string {
	const found = onPath('git', process.env);
	if (found === undefined) throw new NancyError('git', phrase`git is not installed, or not on the PATH`);
	return found;
}

/** On the other machine: a bare repository, made whole or not at all. Its settings are Nancy's own. Returns its real path. */
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

function bare(repository: string): GitPlace {
	return { folder: repository, gitDir: repository, common: repository };
}

/**
 * On the other machine: a worktree of the commit that was sent. Made anew if it is there: nothing has worked in it yet.
 * @throws NancyError `wrong-state` after {@link forgetThere}: a start that came late would run the job again
 */
export async function checkoutThere(repository: string, folder: string, base: string, id: string): Promise<void> {
	if ((await refOf(bare(repository), baseRef(id))) !== base)
		throw new NancyError('wrong-state', phrase`the commit that this job begins with is not here, or no longer`);
	await removeCheckout(repository, folder);
	await gitOverWorktrees(repository, bare(repository), ['worktree', 'add', '--quiet', '--detach', folder, base]);
}

/**
 * On the other machine: commits everything in the worktree, and names it for {@link fetchWork}. Returns the commit. A repeat returns the same one.
 * If files have changed since, the new commit continues it: it may have been fetched.
 */
export async function commitThere(repository: string, folder: string, id: string): Promise<string> {
	await resetSettings(repository);
	const gitDir = await adminFolder(repository, folder);
	if (gitDir === undefined) throw new NancyError('git', phrase`${folder} is no worktree any more`);
	const own = { folder, gitDir, common: repository };
	const tip = await withWorkingTree(own, async ({ tree }) => {
		const head = await headOf(own);
		const named = await refOf(own, resultRef(id));
		const isContinued = named !== undefined && (head === undefined || (await isAncestor(own, head, named)));
		const last = isContinued ? named : head;
		if (last !== undefined && (await treeOf(own, last)) === tree) return last;
		return commitTree(own, tree, last === undefined ? [] : [last], `nancy: uncommitted work of ${id}\n`);
	});
	await git(bare(repository), ['update-ref', resultRef(id), tip]);
	return tip;
}

/** How a listing of the index begins that names a commit of another repository. */
const LINK = '160000 ';

/**
 * On the other machine: no commit holds a repository that an agent has made in its worktree, so the worktree is not removed with it.
 * @throws NancyError `wrong-state` with the names of such repositories
 */
export async function refuseNested(repository: string, folder: string): Promise<void> {
	// Git has a worktree still that is removed already, or that its agent has removed.
	if (!existsSync(repository) || !existsSync(folder)) return;
	await resetSettings(repository);
	const gitDir = await adminFolder(repository, folder);
	if (gitDir === undefined) return;
	const own = { folder, gitDir, common: repository };
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

/** On the other machine: removes the worktree, and what named its commits. */
export async function forgetThere(repository: string, folder: string, id: string): Promise<void> {
	if (!existsSync(repository)) return;
	await removeCheckout(repository, folder);
	const place = bare(repository);
	for (const ref of [baseRef(id), resultRef(id)])
		if ((await refOf(place, ref)) !== undefined) await git(place, ['update-ref', '-d', ref]);
}

async function removeCheckout(repository: string, folder: string): Promise<void> {
	await resetSettings(repository);
	await removeTree(folder);
	await gitOverWorktrees(repository, bare(repository), ['worktree', 'prune', '--expire=now']);
}
