import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';

/** No file takes so long to be written, in milliseconds: who began it was killed. */
const ABANDONED_MS = 10 * 60 * 1000;

/** Removes what a kill left of files that were being written, under the name that base/atomicFile gives them until they are whole. */
export async function sweep(folder: string): Promise<void> {
	const names = await readdir(folder).catch((error: unknown) => {
		if (hasErrno(error, 'ENOENT')) return [];
		throw error;
	});
	for (const name of names.filter(each => /^\.[0-9a-f]{12}\.tmp$/.test(each))) {
		const found = await stat(join(folder, name)).catch(() => undefined);
		if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(join(folder, name), { force: true });
	}
}
