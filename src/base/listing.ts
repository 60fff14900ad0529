import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hasErrno } from './errors.ts';

/** Folders directly below `folder`, links and hidden ones left out. Empty when there is no such folder. */
export async function folderNames(folder: string): Promise<string[]> {
	return (await entriesOf(folder)).filter(entry => entry.isDirectory() && isVisible(entry)).map(entry => entry.name);
}

/** Files directly below `folder` with this ending, links and hidden ones left out. Empty when there is no such folder. */
export async function fileNames(folder: string, ending: string): Promise<string[]> {
	return (await entriesOf(folder))
		.filter(entry => entry.isFile() && isVisible(entry) && entry.name.endsWith(ending))
		.map(entry => entry.name);
}

/** Everything directly below `folder` that is not hidden, whatever it is. Empty when there is no such folder. */
export async function entryNames(folder: string): Promise<string[]> {
	return (await entriesOf(folder)).filter(isVisible).map(entry => entry.name);
}

/** Everything directly below `folder`, hidden or not. Empty when there is no such folder. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
	try {
		return await readdir(folder, { withFileTypes: true });
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
		throw error;
	}
}

function isVisible(entry: Dirent): boolean {
	return !entry.name.startsWith('.');
}
