import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../base/errors.ts';
import { gitList, type GitPlace } from './git.ts';
import { statusOf } from './repository.ts';

/** Files of a person that a change of the checkout would overwrite. */

/** Files of `changed` with uncommitted changes in the checkout, ignored ones included. */
export async function overwritten(parent: GitPlace, changed: readonly string[]): Promise<string[]> {
	const dirty = new Set((await statusOf(parent)).files.map(({ file }) => file));
	const tracked = new Set(await gitList(parent, ['ls-files', '-z']));
	const inTheWay: string[] = [];
	for (const file of changed) {
		if (dirty.has(file) || (!tracked.has(file) && (await isInTheWay(parent.folder, file, tracked))))
			inTheWay.push(file);
	}
	return inTheWay;
}

/** Files that are not on disk: those that a sparse checkout leaves out. */
export async function missing(root: string, files: readonly string[]): Promise<string[]> {
	const found: string[] = [];
	for (const file of files) if (!(await statusOrNone(join(root, file)))) found.push(file);
	return found;
}

/** Places of new files where something exists that git does not know: an ignored file, or another repository. */
export async function unknownInTheWay(
	root: string,
	comes: readonly string[],
	goes: ReadonlySet<string>,
): Promise<string[]> {
	const inTheWay: string[] = [];
	for (const file of comes) if (await isInTheWay(root, file, goes)) inTheWay.push(file);
	return inTheWay;
}

/** A file or folder with this name, or a file with the name of one of its folders. */
async function isInTheWay(root: string, file: string, goes: ReadonlySet<string>): Promise<boolean> {
	const parts = file.split('/');
	for (let count = 1; count <= parts.length; count++) {
		const path = parts.slice(0, count).join('/');
		const status = await statusOrNone(join(root, path));
		if (!status) return false;
		if (goes.has(path)) return false;
		if (!status.isDirectory()) return true;
	}
	return holdsMore(root, file, goes);
}

/** Whether a folder, which git would remove with all that is in it, has a file that does not go. */
async function holdsMore(root: string, folder: string, goes: ReadonlySet<string>): Promise<boolean> {
	for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
		const path = `${folder}/${entry.name}`;
		if (entry.isDirectory() ? await holdsMore(root, path, goes) : !goes.has(path)) return true;
	}
	return false;
}

async function statusOrNone(path: string): Promise<Stats | undefined> {
	return lstat(path).catch((error: unknown) => {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
		throw error;
	});
}
