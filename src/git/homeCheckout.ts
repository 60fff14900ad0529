import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { WorktreeName } from '../protocol/worktree.ts';
import { answersAt, lineAt, type GitPlace } from './git.ts';
import { requireOwnGit } from './requireOwnGit.ts';

/**
 * The ref that is set to the base once a worktree of Nancy's is whole. It keeps the base's objects even if no branch holds them any more.
 */
export const BASE_REF = 'refs/worktree/nancy-base';

const BESIDE = '.worktrees';

/** Beside the repository, as VS Code's worktrees. */
export function worktreeFolder(root: string, name: WorktreeName): string {
	return join(dirname(root), `${basename(root)}${BESIDE}`, name);
}

/**
 * The checkout that gets the worktrees of a checkout, and their merges. It is the checkout itself, unless that is a worktree of Nancy's,
 * which is removed when its own work is merged. Then it is the one that the worktree was made from.
 * @param root top folder of the checkout, in git's words
 */
export async function homeCheckout(root: string): Promise<string> {
	const from = madeFrom(root);
	if (from === undefined || !(await isWorktreeOf(root, from))) return root;
	return homeCheckout(from);
}

/** The checkout beside which a folder of this name would be a worktree; `undefined` if there is none. */
export function madeFrom(folder: string): string | undefined {
	const all = dirname(folder);
	const name = WorktreeName.safeParse(basename(folder));
	if (!name.success || !basename(all).endsWith(BESIDE)) return undefined;
	const root = join(dirname(all), basename(all).slice(0, -BESIDE.length));
	return worktreeFolder(root, name.data) === folder && existsSync(root) ? root : undefined;
}

/** Whether Nancy made the worktree: VS Code's own are in the same place. */
async function isWorktreeOf(folder: string, root: string): Promise<boolean> {
	if ((await lineAt(folder, ['rev-parse', '--verify', '--quiet', BASE_REF])) === undefined) return false;
	return isSameRepository(folder, root);
}

/** Whether two folders are in checkouts of one repository. */
export async function isSameRepository(one: string, other: string): Promise<boolean> {
	const [its = '', others] = await Promise.all(
		[one, other].map(folder => commonDir(folder).catch(() => undefined)), // in none
	);
	return its === others;
}

/**
 * The place of a folder of a checkout in a worktree that Nancy made beside the checkout. It is the folder itself if the caller is anywhere
 * else, or if the worktree has no such folder. Agents do not work in other worktrees, which can be anywhere.
 * @param at any folder of the worktree
 */
export async function folderSeenFrom(at: string, folder: string): Promise<string> {
	if (!(await isSameRepository(at, folder))) return folder;
	const [top, home] = await Promise.all([at, folder].map(topOf));
	if (top === undefined || home === undefined || top === home) return folder;
	const [beside, root] = await Promise.all([top, home].map(homeCheckout));
	if (beside === top || beside !== root) return folder;
	const found = resolve(top, (await lineAt(folder, ['rev-parse', '--show-prefix'])) ?? '');
	return existsSync(found) ? found : folder;
}

/** The home checkout of the checkout that a folder is in; `undefined` outside one. */
export function topOf(folder: string): Promise<string | undefined> {
	return lineAt(folder, ['rev-parse', '--show-toplevel'], { answers: [128] });
}

/** The folder of git that all worktrees of a repository share, by its real path. */
async function commonDir(folder: string): Promise<string> {
	const [common = ''] = await answersAt(folder, ['--git-common-dir']);
	return realFrom(folder, common);
}

/**
 * The checkout that a folder is in, proven for each call of git.
 * @param deadlineMs of this call, and of each that gets the place: see {@link GitPlace}
 * @throws NancyError `git` outside of one, `not-trusted` if its `.git` may have been led to another repository
 */
export async function checkoutAt(folder: string, deadlineMs?: number): Promise<GitPlace> {
	const asked = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
	const [top = '', gitDir = '', common = ''] = await answersAt(folder, asked, {
		timeoutMs: deadlineMs === undefined ? undefined : Math.max(1, deadlineMs - Date.now()),
	});
	const checkout = { folder: top, gitDir, common: realFrom(folder, common), deadlineMs };
	await requireOwnGit(folder, checkout);
	return checkout;
}

/** If the folder is a link, git answers for its target. */
function realFrom(folder: string, path: string): string {
	return realpathSync(resolve(realpathSync(folder), path));
}
