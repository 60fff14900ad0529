import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { hasErrno } from './errors.ts';

/** The path without links; the path itself if nothing is there. */
export function realOr(path: string): string {
	try {
		return realpathSync(path);
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES')) return path;
		throw error;
	}
}

/** The path without links, as far as it exists. */
export function realAsFarAsThere(path: string): string {
	const real = realOr(path);
	if (real !== path || dirname(path) === path) return real;
	return join(realAsFarAsThere(dirname(path)), basename(path));
}
