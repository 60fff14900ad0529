import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrno } from './errors.ts';
import { uniqueHex } from './unique.ts';

export interface WriteOptions {
	/** Permission bits of a new file. Default 0600: what Nancy stores is the user's alone. */
	mode?: number;
	/** Wait until the bytes are on the disk. Needed for files of other tools; kill -9 alone never loses a rename. */
	sync?: boolean;
}

/** Readers see the old bytes or the new bytes, never half of either. Creates missing folders. */
export async function writeFileAtomic(
	file: string,
	data: string | Uint8Array,
	options: WriteOptions = {},
): Promise<void> {
	const temp = await writeTemporary(file, data, options);
	try {
		await rename(temp, file);
	} catch (error) {
		await rm(temp, { force: true });
		throw error;
	}
}

/**
 * {@link writeFileAtomic} for a file that others write too. Asks right before the file is replaced.
 * @param mayReplace `false` leaves the file as it is
 * @returns whether it was replaced
 */
export async function replaceFileAtomic(
	file: string,
	data: string,
	mayReplace: () => Promise<boolean>,
): Promise<boolean> {
	const temp = await writeTemporary(file, data, {});
	try {
		if (!(await mayReplace())) return false;
		await rename(temp, file);
		return true;
	} finally {
		await rm(temp, { force: true });
	}
}

/** {@link writeFileAtomic} for the hook program, whose agent waits for it; the folder must exist. */
export function writeFileAtomicSync(file: string, data: string): void {
	const temp = temporaryName(file);
	try {
		writeFileSync(temp, data, { flag: 'wx', mode: 0o600 });
		renameSync(temp, file);
	} catch (error) {
		rmSync(temp, { force: true });
		throw error;
	}
}

/** Like {@link writeFileAtomic}, but never replaces a file: `false` when one is there already. */
export async function createFileAtomic(file: string, data: string, options: WriteOptions = {}): Promise<boolean> {
	const temp = await writeTemporary(file, data, options);
	try {
		// link() fails on an existing name, which rename() would silently replace.
		await link(temp, file);
		return true;
	} catch (error) {
		if (hasErrno(error, 'EEXIST')) return false;
		throw error;
	} finally {
		await rm(temp, { force: true });
	}
}

/** {@link createFileAtomic} for the hook program; the folder must exist. */
export function createFileAtomicSync(file: string, data: string): boolean {
	const temp = temporaryName(file);
	try {
		writeFileSync(temp, data, { flag: 'wx', mode: 0o600 });
		linkSync(temp, file);
		return true;
	} catch (error) {
		if (hasErrno(error, 'EEXIST')) return false;
		throw error;
	} finally {
		rmSync(temp, { force: true });
	}
}

/** The name of a file until it is whole. */
export const TEMPORARY = /^\.[0-9a-f]{12}\.tmp$/;

/** In the same folder, because a rename is atomic only there. The dot keeps the file out of listings of `*.md` and `*.json`. */
export function temporaryName(file: string): string {
	return join(dirname(file), `.${uniqueHex(12)}.tmp`);
}

/**
 * Makes a folder and those above it that are missing. Not Node's recursive `mkdir`, which never returns if a folder refuses new ones with
 * ENOENT, as /proc does.
 */
export async function makeFolder(folder: string): Promise<void> {
	const make = () =>
		mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
			if (!hasErrno(error, 'EEXIST')) throw error;
		});
	try {
		await make();
	} catch (error) {
		if (!hasErrno(error, 'ENOENT') || dirname(folder) === folder) throw error;
		await makeFolder(dirname(folder));
		await make();
	}
}

async function writeTemporary(file: string, data: string | Uint8Array, options: WriteOptions): Promise<string> {
	const temp = temporaryName(file);
	const write = async () => {
		const handle = await open(temp, 'wx', options.mode ?? 0o600);
		try {
			await handle.writeFile(data);
			if (options.sync) await handle.sync();
		} finally {
			await handle.close();
		}
	};
	try {
		await write();
	} catch (error) {
		await rm(temp, { force: true });
		if (!hasErrno(error, 'ENOENT')) throw error;
		await makeFolder(dirname(file));
		try {
			await write();
		} catch (again) {
			await rm(temp, { force: true });
			throw again;
		}
	}
	return temp;
}

/** The text of a file, or `undefined` if there is none. Any other failure throws: an unreadable file is not empty. */
export async function readTextIfExists(file: string): Promise<string | undefined> {
	try {
		return await readFile(file, 'utf8');
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
		throw error;
	}
}

/** Renames a file. `false`: the file is not there, because somebody else was first. */
export async function moveIfThere(from: string, to: string): Promise<boolean> {
	try {
		await rename(from, to);
		return true;
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return false;
		throw error;
	}
}

/** {@link moveIfThere} for the hook program. */
export function moveIfThereSync(from: string, to: string): boolean {
	try {
		renameSync(from, to);
		return true;
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return false;
		throw error;
	}
}
