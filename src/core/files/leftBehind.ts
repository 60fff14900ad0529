import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { sweepLock } from './processLock.ts';

/** No file takes so long to be written, in milliseconds: its writer was killed. */
const ABANDONED_MS = 10 * 60 * 1000;

/**
 * Names of files that exist only for a moment: those that base/atomicFile gives until a file is whole, and a hook's look at an inbox
 * (hook/boundaryMark).
 */
const MOMENTARY = /^\.[0-9a-f]{12}\.tmp$|^\.boundary-\d+\.tmp$/;

/** Removes half-written files of a kill from a folder, and locks whose holder is dead. */
export async function sweepFolder(folder: string): Promise<void> {
	const names = await readdir(folder).catch((error: unknown) => {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
		throw error;
	});
	const locks = names.flatMap(name => /^(.+\.lock)(?:$|\.)/.exec(name)?.[1] ?? []);
	for (const name of new Set(locks)) await sweepLock(join(folder, name));
	for (const name of names) {
		const file = join(folder, name);
		if (!MOMENTARY.test(name)) continue;
		const found = await stat(file).catch(() => undefined);
		if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(file, { force: true });
	}
}
