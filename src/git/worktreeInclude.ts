import { constants, existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, readlink, realpath, symlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { mapConcurrently } from '../base/concurrent.ts';
import { hasErrno } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import { cutAtZeros, git, gitList, type GitPlace } from './git.ts';
import { checkoutAt } from './homeCheckout.ts';

/** Patterns as in .gitignore, for ignored files that a worktree needs: `.env`, local settings. Other tools read this file too. */
const INCLUDE_FILE = '.worktreeinclude';

/**
 * Copies the files that `.worktreeinclude` names and git ignores from a checkout into a worktree. Replaces nothing, and skips links that
 * point outside.
 */
export async function copyIncluded(parent: GitPlace, worktree: string): Promise<void> {
	const patterns = join(parent.folder, INCLUDE_FILE);
	if (!existsSync(patterns) || !(await lstat(patterns)).isFile()) return;
	const named = await gitList(parent, ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${patterns}`]);
	// A repository inside the checkout is one entry with `/` at its end.
	const files = (await ignoredOf(parent, named)).filter(file => !file.endsWith('/'));
	const from = await realpath(parent.folder);
	const to = await realpath(worktree);
	await mapConcurrently(files, file => copyOne(from, to, file));
}

/**
 * Puts files into a worktree that git ignores in the checkout it was made from, and so did not bring. Replaces nothing, and writes nothing
 * through a link.
 * @param checkout any folder of it
 * @param files by their path from the top of the checkout
 */
export async function putIgnored(
	checkout: string,
	worktree: string,
	files: ReadonlyMap<string, { content: Buffer; mode: number }>,
): Promise<void> {
	if (files.size === 0) return;
	const parent = await checkoutAt(checkout);
	const to = await realpath(worktree);
	await mapConcurrently(await ignoredOf(parent, [...files.keys()]), async name => {
		const file = files.get(name);
		const target = join(to, name);
		if (!file || !(await makeFolder(to, dirname(target)))) return;
		await writeFile(target, file.content, { flag: 'wx', mode: file.mode }).catch((error: unknown) => {
			// From an earlier try, or another's.
			if (!hasErrno(error, 'EEXIST')) throw error;
		});
	});
}

async function ignoredOf(parent: GitPlace, names: readonly string[]): Promise<string[]> {
	if (names.length === 0) return [];
	const ignored = await git(parent, ['check-ignore', '-z', '--stdin'], { input: names.join('\0'), answers: [1] });
	return cutAtZeros(ignored.stdout);
}

async function copyOne(from: string, to: string, file: string): Promise<void> {
	const source = join(from, file);
	const target = join(to, file);
	try {
		// A folder of the path may have become a link meanwhile, or be one in the worktree.
		if (!isInside(from, await realpath(dirname(source)))) return;
		if (!(await makeFolder(to, dirname(target)))) return;
		const status = await lstat(source);
		if (status.isSymbolicLink()) await copyLink(from, source, target);
		else if (status.isFile()) {
			await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
		}
	} catch (error) {
		// Gone meanwhile, or already there from the commit or an earlier try.
		if (!hasErrno(error, 'ENOENT', 'EEXIST', 'ENOTDIR')) throw error;
	}
}

/** A link to the same file of the worktree. An absolute link would lead back into the checkout. */
async function copyLink(from: string, source: string, target: string): Promise<void> {
	const points = await readlink(source);
	if (!isAbsolute(points) && isInside(from, resolve(dirname(source), points))) await symlink(points, target);
}

/** `false` if the folder would be outside the worktree. */
async function makeFolder(worktree: string, folder: string): Promise<boolean> {
	if (existsSync(folder)) return isInside(worktree, await realpath(folder));
	if (!(await makeFolder(worktree, dirname(folder)))) return false;
	await mkdir(folder).catch((error: unknown) => {
		if (!hasErrno(error, 'EEXIST')) throw error;
	});
	return isInside(worktree, await realpath(folder));
}
