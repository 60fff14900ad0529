import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import { phrase } from '../base/phrase.ts';
import { foldersUpFrom } from '../core/workspace/placeFrom.ts';
import { homeCheckout } from './homeCheckout.ts';

/**
 * A folder where an agent of a workspace may have another one work, by the name that the agent cannot give to another folder: the workspace
 * itself, or the workspace's place in a worktree beside its checkout, by its real path. The worktrees of a Nancy worktree are beside the
 * checkout that it was made from. `undefined` for every other folder.
 */
export async function placeBeside(workspaceFolder: string, folder: string): Promise<string | undefined> {
	const [workspace, place] = [leadsTo(workspaceFolder), leadsTo(folder)];
	if (place === workspace) return workspaceFolder;
	const root = foldersUpFrom(workspaceFolder).find(each => existsSync(join(each, '.git')));
	if (root === undefined) return undefined;
	const worktrees = leadsTo(`${await homeCheckout(leadsTo(root))}.worktrees`);
	if (!isInside(worktrees, place)) return undefined;
	const [worktree, ...inside] = relative(worktrees, place).split(sep);
	return worktree !== '' && inside.join(sep) === relative(leadsTo(root), workspace) ? place : undefined;
}

/** {@link placeBeside}. @throws NancyError `not-trusted` for another folder */
export async function requireBeside(workspaceFolder: string, folder: string): Promise<string> {
	const place = await placeBeside(workspaceFolder, folder);
	if (place !== undefined) return place;
	throw new NancyError(
		'not-trusted',
		phrase`an agent asked for work in ${folder}, which is outside its workspace by now`,
	);
}

/** The real path, as far as it exists. A link that leads nowhere leads out. */
export function leadsTo(path: string): string {
	if (lstatSync(path, { throwIfNoEntry: false })) return existsSync(path) ? realpathSync(path) : sep;
	return dirname(path) === path ? path : join(leadsTo(dirname(path)), basename(path));
}
