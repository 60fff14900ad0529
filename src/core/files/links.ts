import { constants, lstatSync } from 'node:fs';
import { NancyError } from '../../base/errors.ts';

/** Flags of `open` like `w` and `a`, but through no link. */
export const OVERWRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
export const APPEND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/**
 * Throws for the first of these folders that is a symbolic link: it could lead Nancy to read, write or remove somebody else's
 * files. Synchronous, for each look takes microseconds and hooks look too.
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
		// An error for each folder that is not there would cost a hook more than all the looking.
		return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
	} catch {
		return false; // nothing that can be looked into
	}
}
