import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { isInside } from '../../base/inside.ts';
import { foldersUpFrom } from '../workspace/placeFrom.ts';

/** The checkouts that a folder is in, the nearest first. */
export function checkoutsAbove(folder: string): string[] {
	return foldersUpFrom(folder).filter(each => existsSync(join(each, '.git')));
}

/** The nearest checkout of a folder, by its path from there; empty if there is none. */
export function checkoutOf(folder: string): string {
	const [nearest = folder] = checkoutsAbove(folder);
	return posixPath(folder, nearest);
}

/**
 * An agent can make a `.git` in its workspace, so the nearest checkout hides no settings above it. A checkout of the whole home folder counts
 * only if there is no other.
 */
export function outermostCheckout(folder: string): string | undefined {
	return outermostPlace(folder, () => false);
}

/** {@link outermostCheckout}, or what is a workspace above it: an agent can make a `.nancy` below, too. */
export function outermostPlace(folder: string, isWorkspace: (folder: string) => boolean): string | undefined {
	const places = foldersUpFrom(folder).filter(each => existsSync(join(each, '.git')) || isWorkspace(each));
	return places.findLast(each => !isInside(each, homedir())) ?? places[0];
}

export function posixPath(from: string, path: string): string {
	return relative(from, path).split(sep).join('/');
}
