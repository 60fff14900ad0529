import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TEMPORARY } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import { removeTree } from '../../base/removeTree.ts';
import { sweepLock } from './processLock.ts';

/** No file takes so long to be written, in milliseconds: its writer was killed. */
const ABANDONED_MS = 10 * 60 * 1000;

/** A hook's look at an inbox (sessions/boundaryMark), and the guard's word about a turn (hooks/nancy-hook). */
const OF_HOOKS = /^\.(?:boundary|phase)-\d+\.tmp$/;

/** Removes half-written files of a kill from a folder, and locks whose holder is dead. What another user has left keeps nothing else. */
export async function sweepFolder(folder: string): Promise<void> {
	const names = await readdir(folder).catch((error: unknown) => {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
		throw error;
	});
	for (const name of names) {
		const file = join(folder, name);
		if (name.endsWith('.lock')) await sweepLock(file).catch(() => undefined);
		// The first also of a lock that is not taken yet.
		if (!TEMPORARY.test(name) && !OF_HOOKS.test(name)) continue;
		const found = await lstat(file).catch(() => undefined);
		if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await removeTree(file).catch(() => undefined);
	}
}
