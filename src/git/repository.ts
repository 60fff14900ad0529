import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { hasErrno, NancyError } from '../base/errors.ts';
import { phrase, type Phrase } from '../base/phrase.ts';
import { askAt, cutAtZeros, git, gitList, type GitPlace } from './git.ts';
import { ownWords } from './gitFailure.ts';
import { headOf } from './gitTree.ts';
import { checkoutAt, homeCheckout, isSameRepository, topOf } from './homeCheckout.ts';

/** A checkout that worktrees can be made from. */
export interface Repository {
	checkout: GitPlace;
	/** Top folder of the checkout that gets its worktrees and their merges: see {@link homeCheckout}. */
	root: string;
	/** The commit that is checked out. */
	head: string;
	/** Absent if no branch is checked out. */
	branch?: string;
}

/** The checked-out branch, and the uncommitted changes. */
export interface Status {
	/** Absent if no branch is checked out. */
	branch?: string;
	/** With two letters each: of the index and of the folder, `.` for no change. Changes inside a submodule are left out. */
	files: { state: string; file: string }[];
	/** Files with conflicts that are not resolved. */
	unmerged: string[];
}

export type Inspection = ({ ok: true } & Repository) | { ok: false; reason: string | Phrase };

/** The files that git leaves in its folder during an unfinished operation, and how a person ends it. */
const UNFINISHED: readonly (readonly [file: string, what: Phrase, end: Phrase])[] = [
	['MERGE_HEAD', phrase`a merge`, phrase`commit it, or: git merge --abort`],
	['rebase-merge', phrase`a rebase`, phrase`git rebase --continue, or --abort`],
	['rebase-apply', phrase`a rebase`, phrase`git rebase --continue, or --abort`],
	['CHERRY_PICK_HEAD', phrase`a cherry-pick`, phrase`git cherry-pick --continue, or --abort`],
	['REVERT_HEAD', phrase`a revert`, phrase`git revert --continue, or --abort`],
	['BISECT_LOG', phrase`a bisect`, phrase`git bisect reset`],
];

/** Whether a worktree can be made from the checkout that a folder is in. If not, why, and what to do. */
export async function inspectRepository(folder: string): Promise<Inspection> {
	const no = (reason: string | Phrase) => ({ ok: false as const, reason });
	if (!isFolder(folder)) return no(phrase`there is no folder ${folder}`);
	try {
		const basics = await askAt(folder, ['rev-parse', '--is-bare-repository', '--is-inside-git-dir'], {
			answers: [128],
		});
		if (basics.code !== 0) return no(whyNotRepository(folder, basics.stderr));
		const [isBare, isInside] = basics.stdout.toString('utf8').split('\n');
		if (isBare === 'true' || isInside === 'true') return no(notInCheckout(folder));
		return await inspectCheckout(folder);
	} catch (error) {
		if (error instanceof NancyError) return no(error.said);
		throw error;
	}
}

async function inspectCheckout(folder: string): Promise<Inspection> {
	const no = (reason: string | Phrase) => ({ ok: false as const, reason });
	const checkout = await checkoutAt(folder);
	const { folder: root } = checkout;
	const outer = await superprojectOf(root);
	if (outer !== undefined) {
		return no(
			phrase`${root} is a submodule of ${outer}, and worktrees of submodules are not made; clone it by itself`,
		);
	}
	const head = await headOf(checkout);
	if (head === undefined)
		return no(phrase`${root} has no commit yet, and a worktree begins with one; make one first: git commit`);
	const { branch, files, unmerged } = await statusOf(checkout);
	const unfinished = underWay(checkout) ?? unresolved(root, unmerged);
	if (unfinished !== undefined) return no(unfinished);
	const nested = await foreignRepositories(root, files);
	if (nested.length > 0) {
		return no(
			phrase`a worktree would not have ${listed(nested)}, a repository inside ${root};
				add it to .gitignore, make it a submodule, or work in the folder itself`,
		);
	}
	const home = await homeCheckout(root);
	return { ok: true, checkout, root: home, head, ...(branch !== undefined && { branch }) };
}

/** The checkout that has this one as a submodule. Git's own answer (`--show-superproject-working-tree`) comes from another git. */
async function superprojectOf(root: string): Promise<string | undefined> {
	const outer = await topOf(dirname(root));
	if (outer === undefined) return undefined;
	const place = relative(outer, root);
	const { stdout } = await askAt(outer, ['ls-files', '--stage', '-z', '--', `:(literal)${place}`]);
	return cutAtZeros(stdout).some(entry => entry.startsWith('160000 ')) ? outer : undefined;
}

/** @throws NancyError `git` with the reason and the cure, if no worktree can be made from the checkout that a folder is in */
export async function requireRepository(folder: string): Promise<Repository> {
	const repository = await inspectRepository(folder);
	if (repository.ok) return repository;
	throw new NancyError('git', repository.reason);
}

/** The unfinished operation of a checkout, with the command that ends it; `undefined` if there is none. */
export async function unfinishedIn(place: GitPlace): Promise<Phrase | undefined> {
	const found = underWay(place);
	if (found !== undefined) return found;
	const entries = await gitList(place, ['ls-files', '--unmerged', '-z']);
	return unresolved(place.folder, [...new Set(entries.map(entry => entry.slice(entry.indexOf('\t') + 1)))]);
}

function underWay({ folder, gitDir }: GitPlace): Phrase | undefined {
	const found = UNFINISHED.find(([file]) => existsSync(join(gitDir, file)));
	return found && phrase`${found[1]} is in progress in ${folder}; end it first (${found[2]})`;
}

function unresolved(folder: string, unmerged: readonly string[]): Phrase | undefined {
	if (unmerged.length === 0) return undefined;
	return phrase`there are unresolved conflicts in ${folder} (${listed(unmerged)}); resolve them first`;
}

export async function statusOf(place: GitPlace): Promise<Status> {
	const entries = await gitList(place, [
		'status',
		'--porcelain=v2',
		'--branch',
		'--no-ahead-behind',
		'-z',
		'--untracked-files=all',
		'--no-renames',
		'--ignore-submodules=dirty',
	]);
	const status: Status = { files: [], unmerged: [] };
	for (const entry of entries) {
		const [kind = '', state = '', value = ''] = entry.split(' ');
		if (kind === '#' && state === 'branch.head' && value !== '(detached)') status.branch = value;
		const before = FIELDS_BEFORE_PATH.get(kind);
		if (before === undefined) continue;
		const file = entry.split(' ').slice(before).join(' ');
		status.files.push({ state: kind === '?' ? '??' : state, file });
		if (kind === 'u') status.unmerged.push(file);
	}
	return status;
}

/** The patterns of each kind of line of `status --porcelain=v2 --no-renames`: changed, unmerged, untracked. */
const FIELDS_BEFORE_PATH: ReadonlyMap<string, number> = new Map([
	['1', 8],
	['u', 10],
	['?', 1],
]);

/** The identity for a commit in the user's own history: the user's, or Nancy's if the user has configured none. */
export async function identityFor(place: GitPlace): Promise<Readonly<Record<string, string>>> {
	const { stdout } = await git(place, ['config', '-z', '--get-regexp', '^user\\.(name|email)$'], { answers: [1] });
	const set = new Map(
		cutAtZeros(stdout).map(entry => {
			const [name, ...value] = entry.split('\n');
			return [name, value.join('\n')];
		}),
	);
	const [name, email] = [set.get('user.name'), set.get('user.email')];
	if (!name || !email) return {};
	return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email };
}

/** File names in a sentence: a few, and how many more. */
export function listed(files: readonly string[]): string | Phrase {
	const shown = files.slice(0, 5).join(', ');
	return files.length > 5 ? phrase`${shown} and ${files.length - 5} more` : shown;
}

/** Repositories inside the checkout that git does not ignore. Other worktrees of the same repository need not be in a worktree. */
async function foreignRepositories(root: string, files: Status['files']): Promise<string[]> {
	const nested = files.map(({ file }) => file).filter(file => file.endsWith('/'));
	if (nested.length === 0) return [];
	const foreign: string[] = [];
	for (const file of nested) if (!(await isSameRepository(root, join(root, file)))) foreign.push(file);
	return foreign;
}

function whyNotRepository(folder: string, said: string): Phrase {
	if (/dubious ownership/.test(said)) {
		return phrase`${folder} belongs to another user, so that git does not trust it; git config --global --add safe.directory '${folder}'`;
	}
	if (/cannot use bare repository/.test(said)) return notInCheckout(folder);
	if (/not a git repository/.test(said)) {
		return phrase`${folder} is not in a git repository, and a worktree is a part of one; make one (git init), or work in the folder itself`;
	}
	return phrase`git cannot read the repository of ${folder}: ${ownWords(said)}`;
}

/** Also if the files of a checkout look like a bare repository, which git must not take for one. */
function notInCheckout(folder: string): Phrase {
	return phrase`${folder} is in a bare repository, or inside git's own folder, where nothing is checked out; open a checkout, or make one: git clone`;
}

function isFolder(path: string): boolean {
	try {
		return statSync(path).isDirectory();
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return false;
		throw error;
	}
}
