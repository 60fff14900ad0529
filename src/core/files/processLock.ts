import { constants } from 'node:fs';
import { lstat, lutimes, open, readdir, rename, rm, rmdir, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import { ownIdentity, PROCESS_WORD, processOf, processWord } from '../../base/liveness.ts';
import { uniqueHex } from '../../base/unique.ts';
import { diskTime, isHeldBy, RENEWAL_MS } from './leases.ts';

/** The file of a holder in a lock: its process, and digits that tell apart several holders in one process. */
const HOLDER = new RegExp(`^${PROCESS_WORD}-[0-9a-f]{12}$`);

/**
 * A lock that one process at a time holds, over all windows and commands. It is a folder with one file, which is named after the holder. A
 * taker prepares such a folder and renames it into place. The system lets a folder replace only an empty one, so exactly one taker wins. A
 * dead holder's file is removed by its own name, which is never given again, so nobody removes the file of a later holder. After a kill at
 * any point the lock is empty, or its holder is dead: both can be taken.
 */
export class ProcessLock {
	private holder: string | undefined;
	private renewedMs = 0;

	/** @param folder of the lock; what else has that name is removed */
	constructor(private readonly folder: string) {}

	/**
	 * Whether this holder has the lock now. Takes it if nobody alive has it. To be called again and again while it is held, because other
	 * machines know the holder only by that.
	 */
	async hold(): Promise<boolean> {
		const present = await this.present();
		if (this.holder !== undefined && present.includes(this.holder)) {
			await this.renew();
			return true;
		}
		for (const name of present) {
			const file = join(this.folder, name);
			const process = HOLDER.exec(name)?.groups;
			if (process && (await isHeldBy(processOf(process), file, dirname(this.folder)))) return false;
			if (process) await rm(file, { force: true });
			else if (!(await this.putAside(name))) return false;
		}
		return this.take();
	}

	/** Tells other machines that the holder lives. More frequent calls than needed cost nothing. */
	async renew(): Promise<void> {
		if (this.holder === undefined || performance.now() - this.renewedMs < RENEWAL_MS) return;
		const seconds = (await diskTime(dirname(this.folder))) / 1000;
		try {
			await lutimes(join(this.folder, this.holder), seconds, seconds);
		} catch (error) {
			if (!hasErrno(error, 'ENOENT')) throw error; // given back meanwhile, or lost after a long silence
		}
		this.renewedMs = performance.now();
	}

	/** Gives the lock to the next caller. */
	async release(): Promise<void> {
		if (this.holder === undefined) return;
		await rm(join(this.folder, this.holder), { force: true });
		this.holder = undefined;
		await rmdir(this.folder).catch(() => undefined); // somebody else has it by now, or it stays as an empty one
	}

	/** The names in the lock. Anything that is no folder is no lock of Nancy's: a link, a pipe, an earlier version's file. */
	private async present(): Promise<string[]> {
		const found = await lstat(this.folder).catch((error: unknown) => {
			if (!hasErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
		});
		if (!found) return [];
		if (!found.isDirectory()) await rm(this.folder, { force: true });
		return readdir(this.folder).catch((error: unknown) => {
			if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return [];
			throw error;
		});
	}

	/**
	 * Moves what is no holder out of the lock, to a name that is swept later (leftBehind.ts). The folder is opened first: if somebody
	 * exchanges it for a link to a folder of the user's, nothing there is moved. Only Linux has names below an open folder; elsewhere the
	 * lock stays as it is.
	 * @returns whether it is out
	 */
	private async putAside(name: string): Promise<boolean> {
		let opened: FileHandle | undefined;
		try {
			opened = await open(this.folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
			await rename(`/proc/self/fd/${opened.fd}/${name}`, join(dirname(this.folder), `.${uniqueHex(12)}.tmp`));
			return true;
		} catch (error) {
			if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR', 'EPERM', 'EACCES')) return false;
			throw error;
		} finally {
			await opened?.close();
		}
	}

	private async take(): Promise<boolean> {
		const holder = `${processWord(ownIdentity())}-${uniqueHex(12)}`;
		const staged = join(dirname(this.folder), `.${uniqueHex(12)}.tmp`);
		try {
			await makeFolder(staged);
			await writeFile(join(staged, holder), '', { mode: 0o600, flag: 'wx' });
			// Some systems do not even replace an empty folder.
			await rmdir(this.folder).catch(() => undefined);
			await rename(staged, this.folder);
		} catch (error) {
			await rm(join(staged, holder), { force: true });
			await rmdir(staged).catch(() => undefined);
			if (hasErrno(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM')) return false;
			throw error;
		}
		this.holder = holder;
		this.renewedMs = performance.now();
		return true;
	}
}

/** Removes a lock that nobody alive holds. */
export async function sweepLock(folder: string): Promise<void> {
	if (!(await lstat(folder).catch(() => undefined))) return;
	const lock = new ProcessLock(folder);
	if (await lock.hold()) await lock.release();
}
