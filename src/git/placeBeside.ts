import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import { phrase } from '../base/phrase.ts';
import { foldersUpFrom } from '../core/workspace/placeFrom.ts';
import { homeCheckout } from './homeCheckout.ts';

/**
 * A folder where an agent of a workspace may have another agent work. It is the workspace itself, or the workspace's place in a worktree
 * beside its checkout. The worktrees of a Nancy worktree are beside the checkout that it was made from.
 * @returns its {@link ownName}; `undefined` for every other folder
 */
export async function placeBeside(workspaceFolder: string, folder: string): Promise<string | undefined> {
	const place = ownName(workspaceFolder, folder);
	if (place === workspaceFolder) return place;
	const root = foldersUpFrom(workspaceFolder).find(each => existsSync(join(each, '.git')));
	if (root === undefined) return undefined;
	const worktrees = leadsTo(`${await homeCheckout(leadsTo(root))}.worktrees`);
	if (!isInside(worktrees, place)) return undefined;
	const [worktree, ...inside] = relative(worktrees, place).split(sep);
	return worktree !== '' && inside.join(sep) === relative(leadsTo(root), leadsTo(workspaceFolder))
		? place
		: undefined;
}

/** A folder by a name in which an agent can exchange no link: the workspace's own, or the real path. */
export function ownName(workspaceFolder: string, folder: string): string {
	const place = leadsTo(folder);
	return place === leadsTo(workspaceFolder) ? workspaceFolder : place;
}

/** The {@link ownName} that an agent's request has. @throws NancyError `not-trusted` if it leads to another folder by now */
export function requireOwnName(workspaceFolder: string, folder: string): string {
	const place = ownName(workspaceFolder, folder);
	if (place === folder || place === workspaceFolder) return place;
	throw new NancyError('not-trusted', phrase`the folder ${folder}, which an agent has named, is another one by now`);
}

/** The real path, as far as it exists. A link that leads nowhere leads out. */
export function leadsTo(path: string): string {
	if (lstatSync(path, { throwIfNoEntry: false })) return existsSync(path) ? realpathSync(path) : sep;
	return dirname(path) === path ? path : join(leadsTo(dirname(path)), basename(path));
}
