import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasErrno, NancyError } from '../base/errors.ts';
import { git, gitAnswer, gitLine, gitList, OWN_IDENTITY, type GitPlace } from './git.ts';
import { headOf } from './gitTree.ts';
import { homeCheckout, isSameRepository } from './homeCheckout.ts';

/** A checkout that worktrees can be made from. */
export interface Repository {
	/** Top folder of the checkout. */
	checkout: string;
	/** Top folder of the one that its worktrees stand beside and are merged into: see {@link homeCheckout}. */
	root: string;
	/** The commit that is checked out. */
	head: string;
	/** Absent where no branch is checked out. */
	branch?: string;
	/** Something is not committed, untracked files included. */
	isDirty: boolean;
	/** Their folders are empty in a worktree: `git submodule update --init` as a set-up command fills them. */
	hasSubmodules: boolean;
}

export type Inspection = ({ ok: true } & Repository) | { ok: false; reason: string };

/** What git leaves in its folder while something is half done, and how a person ends it. */
const UNFINISHED: readonly (readonly [file: string, what: string, end: string])[] = [
	['MERGE_HEAD', 'a merge', 'commit it, or: git merge --abort'],
	['rebase-merge', 'a rebase', 'git rebase --continue, or --abort'],
	['rebase-apply', 'a rebase', 'git rebase --continue, or --abort'],
	['CHERRY_PICK_HEAD', 'a cherry-pick', 'git cherry-pick --continue, or --abort'],
	['REVERT_HEAD', 'a revert', 'git revert --continue, or --abort'],
	['BISECT_LOG', 'a bisect', 'git bisect reset'],
];

/** Whether a worktree can be made from the checkout that a folder is in; if not, why, and what to do about it. */
export async function inspectRepository(folder: string): Promise<Inspection> {
	const place = { folder };
	const no = (reason: string) => ({ ok: false as const, reason });
	if (!isFolder(folder)) return no(`there is no folder ${folder}`);
	try {
		const basics = await git(place, ['rev-parse', '--is-bare-repository', '--is-inside-git-dir'], {
			answers: [128],
		});
		if (basics.code !== 0) return no(whyNotRepository(folder, basics.stderr));
		const [isBare, isInside] = basics.stdout.toString().trim().split('\n');
		if (isBare === 'true') {
			return no(`${folder} is a bare repository, without a checkout; open a checkout of it: git clone ${folder}`);
		}
		if (isInside === 'true') return no(`${folder} is inside git's own folder; open the checkout itself`);
		return await inspectCheckout(place);
	} catch (error) {
		if (error instanceof NancyError) return no(error.message);
		throw error;
	}
}

async function inspectCheckout(place: GitPlace): Promise<Inspection> {
	const no = (reason: string) => ({ ok: false as const, reason });
	const root = await gitAnswer(place, ['rev-parse', '--show-toplevel']);
	const outer = await gitLine(place, ['rev-parse', '--show-superproject-working-tree']);
	if (outer !== undefined) {
		return no(`${root} is a submodule of ${outer}, and worktrees of submodules are not made; clone it by itself`);
	}
	const head = await headOf(place);
	if (head === undefined)
		return no(`${root} has no commit yet, and a worktree begins with one; make one first: git commit`);
	const unfinished = await unfinishedIn({ folder: root });
	if (unfinished !== undefined) return no(unfinished);
	const status = await statusOf({ folder: root });
	const nested = await foreignRepositories(root, status);
	if (nested.length > 0) {
		return no(
			`a worktree would not have ${listed(nested)}, a repository inside ${root}; ` +
				'add it to .gitignore, make it a submodule, or work in the folder itself',
		);
	}
	const branch = await gitLine(place, ['symbolic-ref', '--quiet', '--short', 'HEAD']);
	const entries = await gitList({ folder: root }, ['ls-files', '--stage', '-z']);
	return {
		ok: true,
		checkout: root,
		root: await homeCheckout(root),
		head,
		...(branch !== undefined && { branch }),
		isDirty: status.length > 0,
		hasSubmodules: entries.some(entry => entry.startsWith('160000 ')),
	};
}

/** What is half done in a checkout, with what ends it; `undefined` when nothing is. */
export async function unfinishedIn(place: GitPlace): Promise<string | undefined> {
	const gitDir = place.gitDir ?? (await gitAnswer(place, ['rev-parse', '--absolute-git-dir']));
	const found = UNFINISHED.find(([file]) => existsSync(join(gitDir, file)));
	if (found) return `${found[1]} is in progress in ${place.folder}; end it first (${found[2]})`;
	const unmerged = await gitList(place, ['ls-files', '--unmerged', '-z']);
	if (unmerged.length === 0) return undefined;
	const files = [...new Set(unmerged.map(entry => entry.slice(entry.indexOf('\t') + 1)))];
	return `there are unresolved conflicts in ${place.folder} (${listed(files)}); resolve them first`;
}

/** Paths that are not as committed, with their two letters. What is inside a submodule is its own affair. */
export async function statusOf(place: GitPlace): Promise<{ state: string; file: string }[]> {
	const entries = await gitList(place, [
		'status',
		'--porcelain=v1',
		'-z',
		'--untracked-files=all',
		'--no-renames',
		'--ignore-submodules=dirty',
	]);
	return entries.map(entry => ({ state: entry.slice(0, 2), file: entry.slice(3) }));
}

/** The identity for a commit in the user's own history: theirs, and Nancy's where they have configured none. */
export async function identityFor(place: GitPlace): Promise<Readonly<Record<string, string>>> {
	const name = await gitLine(place, ['config', '--get', 'user.name']);
	const email = await gitLine(place, ['config', '--get', 'user.email']);
	return name !== undefined && email !== undefined ? {} : OWN_IDENTITY;
}

/** File names in a sentence: a few, and how many more. */
export function listed(files: readonly string[]): string {
	const shown = files.slice(0, 5).join(', ');
	return files.length > 5 ? `${shown} and ${files.length - 5} more` : shown;
}

/** Repositories inside the checkout, in what git does not ignore. Other worktrees of the same one need not be in a worktree. */
async function foreignRepositories(root: string, status: readonly { file: string }[]): Promise<string[]> {
	const nested = status.map(({ file }) => file).filter(file => file.endsWith('/'));
	if (nested.length === 0) return [];
	const foreign: string[] = [];
	for (const file of nested) if (!(await isSameRepository(root, join(root, file)))) foreign.push(file);
	return foreign;
}

function whyNotRepository(folder: string, said: string): string {
	if (/dubious ownership/.test(said)) {
		return `${folder} belongs to another user, so that git does not trust it; git config --global --add safe.directory '${folder}'`;
	}
	if (/not a git repository/.test(said)) {
		return `${folder} is not in a git repository, and a worktree is a part of one; make one (git init), or work in the folder itself`;
	}
	return `git cannot read the repository of ${folder}: ${said.split('\n')[0]}`;
}

function isFolder(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return false;
		throw error;
	}
}
