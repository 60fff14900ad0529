import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import type { Driver } from '../driver/driver.ts';
import { foldersUpFrom } from '../workspace/placeFrom.ts';
import { checkoutsAbove, outermostCheckout, posixPath } from './checkouts.ts';

/** Nobody has as many settings. A larger place cannot be searched at every start. */
export const MOST_FILES = 10_000;

/**
 * The names of files begin here: the workspace folder, or the same folder of a worktree. No `.git` that an agent makes gives a file
 * another name.
 */
export function nameBase(workspaceFolder: string, folder: string): string {
	return isInside(workspaceFolder, folder) ? workspaceFolder : folder;
}

/** Where the settings of a CLI that works in a folder may be. */
export function placesOf(driver: Driver, workspaceFolder: string, folder: string): { at: string; path: string }[] {
	const outermost = outermostCheckout(folder) ?? nameBase(workspaceFolder, folder);
	return foldersUpFrom(folder)
		.filter(at => isInside(outermost, at))
		.flatMap(at => driver.executableSettings.map(setting => ({ at, path: join(at, setting) })));
}

/** @yields each file of settings: its path, and the folder that it is the settings of */
export async function* settingsFiles(
	driver: Driver,
	workspaceFolder: string,
	folder: string,
): AsyncIterable<{ path: string; at: string }> {
	let count = 0;
	for (const place of placesOf(driver, workspaceFolder, folder)) {
		for await (const path of filesIn(place.path, new Set())) {
			if (++count > MOST_FILES) throw tooMany(place.path);
			yield { path, at: place.at };
		}
	}
}

/** By their names, without those outside. Settings of a worktree may name a program of the workspace by its whole path. */
export function programsAmong(paths: Iterable<string>, workspaceFolder: string, folder: string): Map<string, string> {
	const base = nameBase(workspaceFolder, folder);
	const [nearest = base] = checkoutsAbove(folder);
	const outermost = outermostCheckout(workspaceFolder) ?? workspaceFolder;
	const programs = new Map<string, string>();
	for (const path of paths) {
		if (isInside(nearest, path)) programs.set(posixPath(base, path), path);
		else if (isInside(outermost, path)) programs.set(posixPath(workspaceFolder, path), path);
	}
	return programs;
}

/** @param above folders that this one is in, by their real paths: a link may lead back */
async function* filesIn(path: string, above: ReadonlySet<string>): AsyncIterable<string> {
	const found = await stat(path).catch((error: unknown) => {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
		throw error;
	});
	if (!found?.isDirectory()) {
		if (found) yield path;
		return;
	}
	const real = await realpath(path);
	if (above.has(real)) return;
	for (const name of await readdir(path)) yield* filesIn(join(path, name), new Set([...above, real]));
}

export function tooMany(path: string): NancyError {
	return new NancyError('not-trusted', `there are more than ${MOST_FILES} files of settings at ${path}; remove some`);
}
