import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is a folder's own or below it. Compares names alone. */
export function isInside(folder: string, path: string): boolean {
	const way = relative(folder, path);
	return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
