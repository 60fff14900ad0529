import { constants } from 'node:fs';
import { lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { mapConcurrently } from '../../base/concurrent.ts';
import { hasErrno } from '../../base/errors.ts';
import { refuseLinks } from '../files/links.ts';
import { LOOK_BEHIND_CUT, PAYLOAD_LIMIT, storablePayload, storableText } from './cutPayload.ts';

/** Folder in the spool for copies of files that were no events. */
export const REJECTED = 'rejected';

/** How many files that are no events are kept for a person. The oldest go first. */
export const MOST_REJECTED = 50;

/**
 * Keeps a copy of a spool file that is no event, without secrets and cut at a limit, then removes the file. Returns the copy; `undefined`
 * if the file is gone. After a kill in between, it is done again.
 */
export async function keepRejected(spool: string, name: string): Promise<string | undefined> {
	const file = join(spool, name);
	const folder = join(spool, REJECTED);
	refuseLinks([folder]);
	const opening = await readOpening(file);
	if (opening === undefined) return undefined;
	const copy = join(folder, name);
	await writeFileAtomic(copy, storable(opening));
	await rm(file, { force: true });
	await keepNewest(folder, MOST_REJECTED);
	return copy;
}

/** A whole JSON value is also searched by its keys. */
function storable(text: string): string {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return storableText(text, PAYLOAD_LIMIT);
	}
	return JSON.stringify(storablePayload(value));
}

/** The beginning of a file, which may be far too large to be read whole. */
async function readOpening(file: string): Promise<string | undefined> {
	try {
		const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
		try {
			const { buffer, bytesRead } = await handle.read(Buffer.alloc(PAYLOAD_LIMIT + LOOK_BEHIND_CUT), {
				position: 0,
			});
			return buffer.toString('utf8', 0, bytesRead);
		} finally {
			await handle.close();
		}
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw error;
	}
}

async function keepNewest(folder: string, most: number): Promise<void> {
	const names = await readdir(folder);
	if (names.length <= most) return;
	const files = await mapConcurrently(names, async name => {
		const file = join(folder, name);
		const found = await lstat(file).catch(() => undefined);
		return { file, mtimeMs: found?.mtimeMs ?? Infinity };
	});
	files.sort((a, b) => b.mtimeMs - a.mtimeMs);
	await mapConcurrently(files.slice(most), ({ file }) => rm(file, { force: true }));
}
