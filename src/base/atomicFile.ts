import { linkSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
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

export interface ReplaceOptions {
	/** Permission bits of the file, whatever the umask says. */
	mode: number;
	/** Folder of the new bytes before the exchange. After a kill, leftovers are there and not in somebody else's folder. */
	staging: string;
	/** Asked right before the exchange: `false` keeps the file as it is. */
	mayWrite?: () => boolean;
}

/**
 * Replaces a file of another program, by its real path, only while the file still holds `expected` (`undefined`: it is not there). Removes the file if `data`
 * is `undefined`. Only two system calls lie between the last look and the exchange. `false`: the file has changed.
 */
export async function exchangeFile(
	file: string,
	expected: Uint8Array | undefined,
	data: string | Uint8Array | undefined,
	options: ReplaceOptions,
): Promise<boolean> {
	const holdsExpected = () =>
		(options.mayWrite?.() ?? true) && isReal(dirname(file)) && isSameContent(contentOf(file), expected);
	if (data === undefined) {
		if (!holdsExpected()) return false;
		rmSync(file, { force: true });
		return true;
	}
	await mkdir(dirname(file), { recursive: true });
	let temp = await writeTemporary(join(options.staging, basename(file)), data, { mode: options.mode, sync: true });
	try {
		await chmod(temp, options.mode);
		if ((await stat(temp)).dev !== (await stat(dirname(file))).dev) {
			await rm(temp);
			temp = await writeTemporary(file, data, { mode: options.mode, sync: true });
			await chmod(temp, options.mode);
		}
		if (!holdsExpected()) return false;
		renameSync(temp, file);
		return true;
	} finally {
		await rm(temp, { force: true });
	}
}

/** No link has come on the way since. */
function isReal(folder: string): boolean {
	try {
		return realpathSync(folder) === folder;
	} catch (error) {
		// Where the folder is gone, so is the file.
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return true;
		throw error;
	}
}

function contentOf(file: string): Uint8Array | undefined {
	try {
		return readFileSync(file);
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw error;
	}
}

function isSameContent(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
	return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
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
function temporaryName(file: string): string {
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
