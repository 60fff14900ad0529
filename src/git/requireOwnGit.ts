import { existsSync, lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import { realOr } from '../base/realPath.ts';
import { quoted } from '../base/shellWord.ts';
import { readPlainTextSync } from '../core/files/plainFile.ts';
import { gitLine } from './git.ts';

/** The folders of a checkout. */
export interface Checkout {
	top: string;
	/** Git's own of it, where its index is. */
	gitDir: string;
	/** That of the repository, which all its worktrees share, by its real path. */
	common: string;
}

/** In bytes. */
const LONGEST_PATH = 64 * 1024;

/** Links that people make in git's folder. Git writes nothing there, or Nancy looks for links again. */
const MAY_BE_LINKS = ['config', 'hooks', 'info', 'lfs'];

/**
 * A checkout's `.git`, with `commondir` and `core.worktree` in it, tells git which repository the checkout belongs to. An agent can write
 * these files, and name a repository of the user's that it may not read. So git's folder must be the `.git` of the checkout itself, or one
 * that names the checkout in return: a linked worktree does by its `gitdir`, a submodule by its `core.worktree` (git's own
 * Documentation/gitrepository-layout).
 * @param folder the folder that git was asked about
 * @throws NancyError `not-trusted` with the cure
 */
export async function requireOwnGit(folder: string, { top, gitDir, common }: Checkout): Promise<void> {
	const [checkout, own, shared] = [realpathSync(top), realpathSync(gitDir), realpathSync(common)];
	if (!isInside(checkout, realpathSync(folder)))
		throw notOwn(folder, `its settings say that its files are in ${top}`);
	const dotGit = join(checkout, '.git');
	const isItsOwn = lstatSync(dotGit).isDirectory() && own === dotGit && shared === own;
	if (!isItsOwn && !(await namesInReturn(dotGit, own, shared)))
		throw notOwn(
			folder,
			`it leads to ${own}, which does not name ${checkout} in return. If it should, run: ` +
				(own === shared
					? `git config --file ${quoted(join(own, 'config'))} core.worktree ${quoted(checkout)}`
					: `git -C ${quoted(checkout)} worktree repair`),
		);
	for (const gitDir of new Set([own, shared])) refuseLinksIn(folder, gitDir);
}

async function namesInReturn(dotGit: string, own: string, shared: string): Promise<boolean> {
	if (own !== shared) {
		if (dirname(own) !== join(shared, 'worktrees')) return false;
		const named = (readPlainTextSync(join(own, 'gitdir'), LONGEST_PATH) ?? '').replace(/\n$/, '');
		return realOr(resolve(own, named)) === realpathSync(dotGit);
	}
	const asked = ['config', '--file', join(shared, 'config'), 'core.worktree'];
	const named = await gitLine({ folder: shared, gitDir: shared }, asked);
	return named !== undefined && realOr(resolve(shared, named)) === dirname(dotGit);
}

/**
 * Git follows links in its own folders. A link could lead to another repository's refs, or have a reflog appended to any file of the user's.
 * @param folder of the checkout
 * @throws NancyError `not-trusted` with the link
 */
export function refuseLinksIn(folder: string, gitDir: string): void {
	const link = [
		...linksIn(gitDir, false).filter(path => !MAY_BE_LINKS.includes(basename(path))),
		...['objects', 'worktrees'].flatMap(name => linksIn(join(gitDir, name), false)),
		...['refs', 'logs'].flatMap(name => linksIn(join(gitDir, name), true)),
	][0];
	if (link !== undefined) throw notOwn(folder, `${link} is a link`);
}

function linksIn(folder: string, recursive: boolean): string[] {
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive, withFileTypes: true })
		.filter(entry => entry.isSymbolicLink())
		.map(entry => join(entry.parentPath, entry.name));
}

class NotOwnGit extends NancyError {}

/** Whether an error is that of {@link requireOwnGit}. */
export const isNotOwn = (error: unknown): boolean => error instanceof NotOwnGit;

function notOwn(folder: string, why: string): NancyError {
	const what = `Nancy does not take the .git of ${folder} for its own, because an agent can write it: ${why}`;
	return new NotOwnGit('not-trusted', what);
}
