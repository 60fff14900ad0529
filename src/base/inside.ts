import { isAbsolute, normalize, relative, sep } from 'node:path';

/** Whether a path is a folder's own or below it. Compares names alone. */
export function isInside(folder: string, path: string): boolean {
	const way = relative(folder, path);
	return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** `src/a.ts` for a path below the folder. Any other path stays as it is, also one with `..`: behind a link that leads elsewhere. */
export function pathFrom(folder: string, path: string): string {
	if (!isAbsolute(path) || normalize(path) !== path || !isInside(folder, path)) return path;
	return relative(folder, path).replaceAll(sep, '/') || path;
}
