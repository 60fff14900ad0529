import { constants, lstatSync } from 'node:fs';
import { NancyError } from '../../base/errors.ts';

/** Follows no link, and does not wait for the reader of a pipe. */
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Flags of `open` like `w` and `a`, for a file in a workspace. */
export const OVERWRITE = WRITE | constants.O_TRUNC;
export const APPEND = WRITE | constants.O_APPEND;

/**
 * Throws for the first of these folders that is a symbolic link: Nancy could read, write or remove somebody else's files through it.
 * Synchronous, because each look takes microseconds and hooks look too.
 */
export function refuseLinks(folders: readonly string[]): void {
	const link = linkAmong(folders);
	if (link === undefined) return;
	throw new NancyError(
		'bad-file',
		`${link} is a symbolic link, which Nancy does not follow; replace it by a folder and try again`,
	);
}

/** The first of these folders that is a symbolic link. */
export function linkAmong(folders: readonly string[]): string | undefined {
	return folders.find(isLink);
}

function isLink(file: string): boolean {
	try {
		// An error object for each missing folder would cost a hook more than all the looking.
		return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
	} catch {
		return false; // nothing that can be looked into
	}
}
