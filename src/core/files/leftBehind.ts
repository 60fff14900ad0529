import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { sweepLock } from './processLock.ts';

/** No file takes so long to be written, in milliseconds: its writer was killed. */
const ABANDONED_MS = 10 * 60 * 1000;

/**
 * Names that exist only for a moment: those of base/atomicFile until a file is whole, of a lock until it is taken, and of a hook's look at
 * an inbox (hook/boundaryMark).
 */
const MOMENTARY = /^\.[0-9a-f]{12}\.tmp$|^\.boundary-\d+\.tmp$/;

/** Removes half-written files of a kill from a folder, and locks whose holder is dead. */
export async function sweepFolder(folder: string): Promise<void> {
	const names = await readdir(folder).catch((error: unknown) => {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
		throw error;
	});
	for (const name of names) {
		const file = join(folder, name);
		if (name.endsWith('.lock')) await sweepLock(file);
		if (!MOMENTARY.test(name)) continue;
		const found = await lstat(file).catch(() => undefined);
		if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(file, { recursive: true, force: true });
	}
}
