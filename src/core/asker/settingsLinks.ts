import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import { entriesOf } from '../../base/listing.ts';
import { checkoutsAbove } from './checkouts.ts';

/** A folder that is no part of the workspace, up to the top of its checkout: a worktree. */
export function worktreeTop(workspaceFolder: string, folder: string): string | undefined {
	if (isInside(workspaceFolder, folder)) return undefined;
	return checkoutsAbove(folder).findLast(each => !isInside(each, workspaceFolder)) ?? folder;
}

interface Settings {
	/** The top folder of the worktree. */
	top: string;
	places: Iterable<string>;
	/** They may be there or not. */
	programs: Iterable<string>;
	/** What does not count. */
	except?: ReadonlySet<string> | undefined;
}

/**
 * Links among settings, and among the programs that these name, by which a worktree's are read elsewhere, or nowhere yet. In a worktree only
 * its own agents write. Such a link leads to where others do.
 */
export async function linksOut({ top, places, programs, except }: Settings): Promise<string[]> {
	const real = realpathSync(top);
	// What is behind `..` stays so: it is where the part before leads.
	const isOut = (path: string) => leadsOut(real, path.slice(top.length + 1));
	const found: string[] = [];
	const isBelow = (path: string) => path.startsWith(top + sep);
	for (const place of places) if (isBelow(place)) found.push(...(await outBelow(place, isOut, new Set(), except)));
	for (const program of programs) if (isBelow(program) && isThere(program) && isOut(program)) found.push(program);
	return found;
}

/** @param above folders that this one is in, by their real paths: a link may lead back */
async function outBelow(
	path: string,
	isOut: (path: string) => boolean,
	above: ReadonlySet<string>,
	except: ReadonlySet<string> = new Set(),
): Promise<string[]> {
	if (except.has(path)) return [];
	if (isOut(path)) return [path];
	if (!existsSync(path)) return [];
	const real = realpathSync(path);
	if (above.has(real) || !lstatSync(real).isDirectory()) return [];
	const found: string[] = [];
	for (const { name } of await entriesOf(path))
		found.push(...(await outBelow(join(path, name), isOut, new Set([...above, real]), except)));
	return found;
}

/** A file, or a link to nothing. Most programs that settings might name are mere words, or folders. */
function isThere(path: string): boolean {
	try {
		if (existsSync(path)) return statSync(path).isFile();
		return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ELOOP', 'ENAMETOOLONG', 'EACCES')) return false;
		throw error;
	}
}

/**
 * Follows each link by itself: the last may lead back in, by one that others can exchange.
 * @param top without links
 */
function leadsOut(top: string, path: string): boolean {
	const rest = path.split(sep);
	let at = top;
	for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
		at = join(at, name);
		if (!isInside(top, at)) return true;
		if (!lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink()) continue;
		const target = readlinkSync(at);
		if (isAbsolute(target) || !existsSync(at)) return true;
		rest.unshift(...target.split(sep));
		at = dirname(at);
	}
	return false;
}
