import { lstatSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isInside } from '../../base/inside.ts';
import { realOr } from '../../base/realPath.ts';

/** The place of an operation. */
export interface Place {
	/** The folder of the workspace, else the root of the repository, else {@link start}. */
	folder: string;
	/** Where it was looked from. */
	start: string;
	isWorkspace: boolean;
	isRepository: boolean;
}

/**
 * The nearest candidate. A repository below a workspace is a project of its own, and a `.nancy` in the home folder is not the workspace of
 * all below.
 */
export function placeFrom(from: string, env: Readonly<Record<string, string | undefined>>): Place {
	const start = resolve(from);
	const home = resolve(env['HOME'] ?? homedir());
	for (const folder of foldersUpFrom(start)) {
		// A link counts, so that the workspace can report it. The `.nancy` of a folder above would be the wrong one.
		if (isFolderOrLink(join(folder, '.nancy'))) return { folder, start, isWorkspace: true, isRepository: false };
		if (isRepositoryRoot(folder) && !isSameOrAbove(folder, home))
			return { folder, start, isWorkspace: false, isRepository: true };
	}
	return { folder: start, start, isWorkspace: false, isRepository: false };
}

/** A worktree inside the checkout that it was made from, as some agents make them, belongs to that checkout. */
function isRepositoryRoot(folder: string): boolean {
	const git = join(folder, '.git');
	const found = lstatSync(git, { throwIfNoEntry: false });
	if (!found?.isFile()) return found !== undefined;
	const [, main] = /^gitdir: (.+)\/\.git\/worktrees\/[^/]+\s*$/.exec(readText(git)) ?? [];
	return main === undefined || !isInside(realOr(main), realOr(folder));
}

function readText(file: string): string {
	try {
		return readFileSync(file, 'utf8').slice(0, 10_000);
	} catch {
		return '';
	}
}

/** Where agents of a place may write: its folder, and the workspaces above. An agent can make a `.nancy` below its own. */
export function agentsFolders(folder: string): string[] {
	const [own = folder, ...above] = foldersUpFrom(folder);
	return [own, ...above.filter(each => isFolderOrLink(join(each, '.nancy')))];
}

/** The folder itself first. */
export function foldersUpFrom(start: string): string[] {
	const folders = [resolve(start)];
	for (;;) {
		const last = folders.at(-1) ?? '';
		const parent = dirname(last);
		if (parent === last) return folders;
		folders.push(parent);
	}
}

function isSameOrAbove(folder: string, other: string): boolean {
	return foldersUpFrom(other).includes(folder);
}

export function isFolderOrLink(file: string): boolean {
	const found = lstatSync(file, { throwIfNoEntry: false });
	return found !== undefined && (found.isDirectory() || found.isSymbolicLink());
}
