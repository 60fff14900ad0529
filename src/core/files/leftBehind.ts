import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { ProcessLock } from './processLock.ts';

/** No file takes so long to be written, and no lock so long to be exchanged, in milliseconds: who began it was killed. */
const ABANDONED_MS = 10 * 60 * 1000;

/**
 * Names under which files stand only for a moment: those that base/atomicFile gives until a file is whole, a hook's look at an
 * inbox (hook/boundaryMark), and a lock that is being taken away (core/files/processLock).
 */
const MOMENTARY = /^\.[0-9a-f]{12}\.tmp$|^\.boundary-\d+\.tmp$|\.lock\.[0-9a-z.]+(?:-\d+){2,3}$/;

/** Removes from a folder what a kill left of files that were being written, and locks whose holder is dead. */
export async function sweepFolder(folder: string): Promise<void> {
	const names = await readdir(folder).catch((error: unknown) => {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
		throw error;
	});
	for (const name of names) {
		const file = join(folder, name);
		if (name.endsWith('.lock')) await sweepLock(file);
		if (!MOMENTARY.test(name)) continue;
		const found = await stat(file).catch(() => undefined);
		if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(file, { force: true });
	}
}

/** Taking it over and giving it back removes it; one that somebody alive holds stays. */
async function sweepLock(file: string): Promise<void> {
	const lock = new ProcessLock(file);
	if (await lock.hold()) await lock.release();
}
