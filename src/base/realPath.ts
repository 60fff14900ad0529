import { realpathSync } from 'node:fs';

/** The path without links; the path itself if nothing can be found there. */
export function realOr(path: string): string {
	try {
		return realpathSync(path);
	} catch {
		return path;
	}
}
