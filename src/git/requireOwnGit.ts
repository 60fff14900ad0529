import { lstatSync, readFileSync, realpathSync, type Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasErrno, NancyError } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import { realOr } from '../base/realPath.ts';
import { quoted } from '../base/shellWord.ts';
import { phrase, type Phrase } from '../base/phrase.ts';
import { readPlainTextSync } from '../core/files/plainFile.ts';
import { gitLine, type GitPlace } from './git.ts';

/** In bytes. */
const LONGEST_PATH = 64 * 1024;

/** Links that people make in git's folder. Nancy has git take nothing from there and write nothing there, but for the settings. */
const MAY_BE_LINKS = ['config', 'hooks', 'lfs', 'rr-cache'];

/**
 * Not looked into: they have thousands of files, and git writes only new ones there, by their hash. The repositories of submodules are not
 * entered.
 */
const NOT_LOOKED_INTO = /^(?:annex|hooks|lfs|(?:worktrees[\\/][^\\/]+[\\/])?modules|rr-cache|objects[\\/][0-9a-f]{2})$/;

/**
 * A checkout's `.git`, with `commondir` and `core.worktree` in it, tells git which repository the checkout belongs to. An agent can write
 * these files, and name a repository of the user's that it may not read. So git's folder must be the `.git` of the checkout itself, or a
 * folder that names the checkout in return. A linked worktree does by its `gitdir`, a submodule by its `core.worktree` (git's own
 * Documentation/gitrepository-layout).
 * @param asked the folder that git was asked about
 * @throws NancyError `not-trusted` with the cure
 */
export async function requireOwnGit(asked: string, { folder, gitDir, common, deadlineMs }: GitPlace): Promise<void> {
	const [checkout, own, shared] = [realpathSync(folder), realpathSync(gitDir), realpathSync(common)];
	const dotGit = join(checkout, '.git');
	if (!isInside(checkout, realpathSync(asked)) || gitDirAt(dotGit) !== own)
		throw notOwn(asked, phrase`its settings say that its files are in ${folder}`);
	const isItsOwn = own === dotGit && shared === own;
	if (!isItsOwn && !(await namesInReturn(dotGit, own, shared, deadlineMs)))
		throw notOwn(
			asked,
			phrase`it leads to ${own}, which does not name ${checkout} in return. If it should, run: ${
				own === shared
					? `git config --file ${quoted(join(own, 'config'))} core.worktree ${quoted(checkout)}`
					: `git -C ${quoted(checkout)} worktree repair`
			}`,
		);
	await refuseLinksIn(asked, shared);
	const settings = join(shared, 'config');
	if (REFS_ELSEWHERE.test(readFileSync(settings, 'utf8')))
		throw notOwn(asked, phrase`extensions.refStorage in ${settings} is another place. Remove it`);
}

/** A git of 2026 takes refs from a folder that this setting names by a URI. Git reads it in this one file alone. */
const REFS_ELSEWHERE = /\brefstorage\s*=(?!\s*"?(?:files|reftable)"?\s*$)/im;

/** The folder that a `.git` is, or leads to, by its real path. */
export function gitDirAt(dotGit: string): string | undefined {
	const status = lstatSync(dotGit, { throwIfNoEntry: false });
	if (!status) return undefined;
	if (!status.isFile()) return realOr(dotGit);
	const led = /^gitdir: (.+?)\n?$/s.exec(readPlainTextSync(dotGit, LONGEST_PATH) ?? '')?.[1] ?? '';
	return realOr(resolve(dirname(dotGit), led));
}

async function namesInReturn(
	dotGit: string,
	own: string,
	shared: string,
	deadlineMs: number | undefined,
): Promise<boolean> {
	if (own !== shared) {
		if (dirname(own) !== join(shared, 'worktrees')) return false;
		const named = (readPlainTextSync(join(own, 'gitdir'), LONGEST_PATH) ?? '').replace(/\n$/, '');
		return realOr(resolve(own, named)) === realpathSync(dotGit);
	}
	const asked = ['config', '--file', join(shared, 'config'), 'core.worktree'];
	const named = await gitLine({ folder: shared, gitDir: shared, common: shared, deadlineMs }, asked);
	return named !== undefined && realOr(resolve(shared, named)) === dirname(dotGit);
}

/**
 * Git follows links in its own folders. A link could lead to another repository's refs, have a reflog appended to any file of the user's, or
 * have a file copied or quoted. So could a hard link. Git would wait for the writer of a pipe.
 * @param folder of the checkout
 * @throws NancyError `not-trusted` with the link
 */
export async function refuseLinksIn(folder: string, gitDir: string): Promise<void> {
	const link = await linkBelow(gitDir, '');
	if (link !== undefined)
		throw notOwn(
			folder,
			phrase`${link} is a link or a pipe, or has a second name. Put a copy of what it leads to in its place`,
		);
}

async function linkBelow(gitDir: string, below: string): Promise<string | undefined> {
	for (const entry of await entriesOf(join(gitDir, below))) {
		const name = join(below, entry.name);
		if (MAY_BE_LINKS.includes(name)) continue;
		const path = join(gitDir, name);
		if (entry.isSymbolicLink() || entry.isFIFO() || (entry.isFile() && mustBeUnshared(name) && hasOtherNames(path)))
			return path;
		const inside = entry.isDirectory() && !NOT_LOOKED_INTO.test(name) ? await linkBelow(gitDir, name) : undefined;
		if (inside !== undefined) return inside;
	}
	return undefined;
}

/** None of a folder that git, or another Nancy, has just removed. */
async function entriesOf(folder: string): Promise<Dirent[]> {
	try {
		return await readdir(folder, { withFileTypes: true });
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return [];
		throw error;
	}
}

/** A clone in the same file system shares the files of objects, but for the list of stores. */
const mustBeUnshared = (name: string) => !/^objects[\\/](?!info[\\/]alternates$)/.test(name);

/** Git appends to a reflog in place, and reads or copies others. */
const hasOtherNames = (file: string) => (lstatSync(file, { throwIfNoEntry: false })?.nlink ?? 1) > 1;

class NotOwnGit extends NancyError {}

/** Whether an error is that of {@link requireOwnGit}. */
export const isNotOwn = (error: unknown): boolean => error instanceof NotOwnGit;

function notOwn(folder: string, why: Phrase): NancyError {
	return new NotOwnGit(
		'not-trusted',
		phrase`Nancy does not take the .git of ${folder} for its own, because an agent can write it: ${why}`,
	);
}
