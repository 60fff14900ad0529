import { existsSync, lstatSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { realOr } from '../base/realPath.ts';
import { checkoutAt, topOf } from './homeCheckout.ts';
import { gitLine, lineAt } from './git.ts';

/** Git's files for a program in a sandbox. What is {@link fixed} would run programs of its choice outside. */
interface SandboxedGit {
	/** The top folder of the checkout. */
	top: string;
	readable: string[];
	writable: string[];
	/** Parts of {@link writable} that it may not change. */
	fixed: string[];
}

const WORKTREE_SETTINGS = 'config.worktree';

/** In git's folder of a linked worktree: its repository, itself, and settings of its own. */
const OF_WORKTREE = ['commondir', 'gitdir', WORKTREE_SETTINGS];

/** In a bare repository that is a program's own: where its objects are too, and programs for others who use it. */
const OF_REPOSITORY = ['config', 'hooks', join('objects', 'info', 'alternates')];

/** The branch of a worktree that Nancy has made. */
const OWN_BRANCH = /^refs\/heads\/nancy\/[a-z0-9][a-z0-9_-]*$/;

/**
 * In a worktree of Nancy's, a program can make commits on its branch, and on those beside it. In any other checkout git's files are read-only.
 * There they include settings that git, or the user, replaces at any time: a replaced file is no longer read-only in the sandbox.
 * `undefined` outside a repository.
 * @param own a bare repository that has no other worktrees: there it can make any branch
 * @throws NancyError `not-trusted` for a `.git` that is a link: such a link could be replaced
 */
export async function gitPlaces(folder: string, own?: string): Promise<SandboxedGit | undefined> {
	const top = await topOf(folder);
	if (top === undefined) return undefined;
	const place = await checkoutAt(folder);
	const { gitDir, common } = place;
	const dotGit = join(top, '.git');
	const readable = [top, common];
	const isLinked = gitDir !== common;
	// The agent can write this HEAD, and names another branch at a later run.
	const head = isLinked ? await gitLine(place, ['symbolic-ref', '--quiet', 'HEAD']) : undefined;
	const branch = head !== undefined && OWN_BRANCH.test(head) ? head : undefined;
	const isOwn = isLinked && own !== undefined && realOr(own) === common;
	const isWritable = isOwn || branch !== undefined;
	// Where git looks for them without them, a program could put them.
	if (isWritable) await appendFile(join(gitDir, WORKTREE_SETTINGS), '');
	if (isOwn) await mkdir(join(common, 'hooks'), { recursive: true });
	const inGit = [
		...(isWritable ? OF_WORKTREE.map(name => join(gitDir, name)) : [gitDir]),
		...(isOwn ? OF_REPOSITORY.map(name => join(common, name)) : []),
	];
	const fixed = [dotGit, ...inGit].filter(existsSync);
	const link = fixed.find(path => lstatSync(path).isSymbolicLink());
	if (link !== undefined)
		throw new NancyError(
			'not-trusted',
			phrase`${link} is a link, which an isolated delegate could replace; let it work in a worktree, or put the file itself there`,
		);
	const places = isOwn ? [common] : branch === undefined ? [] : await branchPlaces(common, branch);
	const writable = isWritable ? [gitDir, ...places] : [];
	return { top, readable, writable, fixed };
}

/** Objects, and the folder of the branch with its log: git makes its locks beside these. */
async function branchPlaces(common: string, branch: string): Promise<string[]> {
	const reftable = join(common, 'reftable');
	if (existsSync(reftable)) return [join(common, 'objects'), reftable];
	const folders = [common, join(common, 'logs')].map(root => dirname(join(root, branch)));
	for (const each of folders) await mkdir(each, { recursive: true });
	return [join(common, 'objects'), ...folders];
}

/** Who makes the commits, as variables: the user's settings of git are hidden. What the environment names already stays. */
export async function gitIdentity(
	folder: string,
	env: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string>> {
	const { HOME, XDG_CONFIG_HOME } = env;
	const own = { ...(HOME !== undefined && { HOME }), ...(XDG_CONFIG_HOME !== undefined && { XDG_CONFIG_HOME }) };
	const valueOf = (key: string) => lineAt(folder, ['config', '--get', key], { env: own });
	const [name, email] = await Promise.all(['user.name', 'user.email'].map(valueOf));
	const found = {
		GIT_AUTHOR_NAME: name,
		GIT_AUTHOR_EMAIL: email,
		GIT_COMMITTER_NAME: name,
		GIT_COMMITTER_EMAIL: email,
	};
	return Object.fromEntries(
		Object.entries(found).flatMap(([key, value]) =>
			value === undefined || env[key] !== undefined ? [] : [[key, value]],
		),
	);
}
