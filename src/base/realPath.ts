import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The path without links; the path itself if nothing can be found there. */
export function realOr(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}

/** With the part that exists by its real path. */
export function realPlace(path: string): string {
	const real = realOr(path);
	const parent = dirname(path);
	return real !== path || parent === path ? real : join(realPlace(parent), path.slice(parent.length));
}
