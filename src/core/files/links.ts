import { constants, lstatSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';

/** Follows no link, and does not wait for the reader of a pipe. */
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Flags of `open` like `a`, for a file in a workspace. */
export const APPEND = WRITE | constants.O_APPEND;

/**
 * Writes into a file in a workspace without a rename. Follows no link and makes a missing file; the folder must exist.
 * @param how `overwrite`: nothing else is in it afterwards
 * @throws NancyError `bad-file` as {@link refuseHardLink} does
 */
export async function writeInPlace(file: string, text: string, how: 'overwrite' | 'append'): Promise<void> {
	const handle = await open(file, how === 'append' ? APPEND : WRITE, 0o600);
	try {
		refuseHardLink(file, await handle.stat());
		if (how === 'overwrite') await handle.truncate();
		await handle.writeFile(text);
	} finally {
		await handle.close();
	}
}

/**
 * Throws for an open file that has another name. A sandbox may let an agent make a hard link to a file that the agent may not write, and
 * Nancy would write that file.
 */
export function refuseHardLink(file: string, { nlink }: Pick<Stats, 'nlink'>): void {
	if (nlink > 1)
		throw new NancyError(
			'bad-file',
			phrase`${file} is a hard link, which Nancy does not write; remove it and try again`,
		);
}

/**
 * Throws for the first of these folders that is a symbolic link: Nancy could read, write or remove somebody else's files through it.
 * Synchronous, because each look takes microseconds and hooks look too.
 */
export function refuseLinks(folders: readonly string[]): void {
	const link = linkAmong(folders);
	if (link !== undefined) throw linkRefused(link);
}

/** Says of a link in the place of a folder what to do. */
export function linkRefused(link: string): NancyError {
	return new NancyError(
		'bad-file',
		phrase`${link} is a symbolic link, which Nancy does not follow; replace it by a folder and try again`,
	);
}

/** The first of these folders that is a symbolic link. */
export function linkAmong(folders: readonly string[]): string | undefined {
	return folders.find(isLink);
}

export function isLink(file: string): boolean {
	try {
		// An error object for each missing folder would cost a hook more than all the looking.
		return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
	} catch {
		return false; // nothing that can be looked into
	}
}
