import { readFileSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder, temporaryName } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import { realOr } from '../../base/realPath.ts';
import { HeldFolder, namedError } from '../files/heldFolder.ts';

export interface ExchangeOptions {
	/** Permission bits of the file, whatever the umask says. */
	mode: number;
	/** Folder of the new bytes before the exchange. After a kill, leftovers are there and not in somebody else's folder. */
	staging: string;
	/** Agents can exchange each folder below it by a link, but not this one. */
	workspaceFolder: string;
	/** Asked right before the exchange: `false` keeps the file as it is. */
	mayWrite?: () => boolean;
}

/**
 * Replaces a file of another program, by its real path, only while the file still holds `expected` (`undefined`: it is not there). Removes
 * the file if `data` is `undefined`. Only two system calls lie between the last look and the exchange, and both go through the open folder.
 * `false`: the file has changed.
 * @throws NancyError `bad-file` if a folder on the way has become a link
 */
export async function exchangeFile(
	file: string,
	expected: Uint8Array | undefined,
	data: string | Uint8Array | undefined,
	options: ExchangeOptions,
): Promise<boolean> {
	const folder = holdFolderOf(file, options.workspaceFolder, data !== undefined);
	if (!folder) return data === undefined && expected === undefined;
	const place = folder.at(basename(file));
	let temp: string | undefined;
	try {
		if (data !== undefined) {
			await makeFolder(options.staging);
			const isSameDisk = statSync(options.staging).dev === statSync(folder.at()).dev;
			temp = temporaryName(isSameDisk ? join(options.staging, basename(file)) : place);
			await writeNew(temp, data, options.mode);
		}
		const mayWrite = options.mayWrite?.() ?? true;
		if (!mayWrite || !isReal(folder.path) || !isSameContent(contentOf(place), expected)) return false;
		if (temp === undefined) rmSync(place, { force: true });
		else renameSync(temp, place);
		return true;
	} catch (error) {
		throw namedError(error);
	} finally {
		if (temp !== undefined) await rm(temp, { force: true });
		folder.close();
	}
}

/**
 * Opens the folder of a file or folder that Nancy exchanges.
 * @param path real
 * @param workspaceFolder see {@link ExchangeOptions}
 */
export function holdFolderOf(path: string, workspaceFolder: string, isMade: boolean): HeldFolder | undefined {
	// Git's own folder may be elsewhere, where no agent exchanges folders. Its `info` may be missing.
	const top = realOr(workspaceFolder);
	const root = isInside(top, path) ? top : dirname(dirname(path));
	return HeldFolder.openBelow(root, dirname(path), isMade ? 0o777 : undefined);
}

async function writeNew(file: string, data: string | Uint8Array, mode: number): Promise<void> {
	const handle = await open(file, 'wx', 0o600);
	try {
		await handle.writeFile(data);
		await handle.chmod(mode);
		await handle.sync();
	} finally {
		await handle.close();
	}
}

/** No link has come on the way since. Where folders cannot be held, nothing else shows it. */
function isReal(folder: string): boolean {
	try {
		return realpathSync(folder) === folder;
	} catch (error) {
		// Where the folder is gone, so is the file.
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return false;
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
