import { link, lstat, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { moveIfThere } from '../../base/atomicFile.ts';
import { hasCode, hasErrno } from '../../base/errors.ts';
import { entriesOf } from '../../base/listing.ts';
import { ownIdentity, PROCESS_WORD, processOf, processWord } from '../../base/liveness.ts';
import { uniqueHex } from '../../base/unique.ts';
import type { SessionId } from '../../protocol/names.ts';
import type { Driver } from '../driver/driver.ts';
import { readPlainText } from '../files/plainFile.ts';
import { Leases } from '../files/leases.ts';
import type { NancyPaths } from '../files/paths.ts';
import { readSpooled } from './spooled.ts';
import { storedIds } from './trafficFile.ts';
import { recordId } from './waiting.ts';

const CLAIMED = new RegExp(`^\\.claimed-${PROCESS_WORD}$`);

/**
 * The spool files that this process has taken to store. They are renamed into a folder of its own, so that one process takes each, and a
 * dead process's files are found.
 */
export class Claims {
	private readonly folder: string;
	private readonly leases: Leases;

	constructor(private readonly paths: NancyPaths) {
		this.leases = new Leases(paths.machines);
		this.folder = join(paths.spool, `.claimed-${processWord(ownIdentity())}`);
	}

	/** False if the file is not there any more. Throws errors of the disk. */
	async take(name: string): Promise<boolean> {
		await this.leases.renew();
		const from = join(this.paths.spool, name);
		const to = join(this.folder, name);
		try {
			await rename(from, to);
			return true;
		} catch (error) {
			if (!hasErrno(error, 'ENOENT')) throw error;
		}
		await mkdir(this.folder, { recursive: true, mode: 0o700 });
		return moveIfThere(from, to);
	}

	/** Removes a file whose record is stored. */
	async drop(name: string): Promise<void> {
		await rm(join(this.folder, name), { force: true });
	}

	async giveBack(name: string): Promise<void> {
		await this.putBack(this.folder, name);
	}

	/** Removes the folder once nothing is taken. */
	async tidy(): Promise<void> {
		await rmdir(this.folder).catch(() => undefined); // not there, or not empty: then it is needed
	}

	/**
	 * Finishes the claims of dead collectors: removes stored ones, and returns the others to the spool. What cannot be looked at, such as a
	 * folder of root's, keeps nothing else.
	 * @returns false if some are to be tried again
	 */
	async recover(drivers: readonly Driver[]): Promise<boolean> {
		let isWhole = true;
		const failed = () => void (isWhole = false);
		for (const entry of await entriesOf(this.paths.spool)) {
			const match = entry.isDirectory() ? CLAIMED.exec(entry.name) : null;
			if (!match) continue;
			const folder = join(this.paths.spool, entry.name);
			const isMine = folder === this.folder;
			const owner = processOf(match.groups ?? {});
			if (isMine || !(await this.leases.isHeld(owner)))
				await this.recoverFrom(folder, drivers, failed).catch(failed);
		}
		return isWhole;
	}

	private async recoverFrom(folder: string, drivers: readonly Driver[], failed: () => void): Promise<void> {
		const idsBySession = new Map<SessionId, Map<string, string>>();
		for (const name of await readdir(folder)) {
			const file = join(folder, name);
			const found = await lstat(file, { bigint: true }).catch(() => undefined);
			const text = await readPlainText(file).catch((error: unknown) => {
				// What is no file of the spool stays where it is.
				if (!hasCode(error, 'bad-file')) failed();
			});
			if (!found || typeof text !== 'string') continue;
			const spooled = readSpooled(name, text, drivers);
			if (spooled.is !== 'record') {
				await this.putBack(folder, name);
				continue;
			}
			const ids = idsBySession.get(spooled.session) ?? new Map<string, string>();
			idsBySession.set(spooled.session, ids.set(recordId({ name, mtimeNs: found.mtimeNs }), name));
		}
		for (const [session, ids] of idsBySession) {
			const stored = await storedIds(this.paths, session, new Set(ids.keys())).catch(failed);
			if (!stored) continue; // it is not known which of them are stored
			for (const [id, name] of ids) {
				if (stored.has(id)) await rm(join(folder, name), { force: true });
				else await this.putBack(folder, name);
			}
		}
		await rmdir(folder).catch(() => undefined); // something else is in it: not ours to remove
	}

	/**
	 * Never overwrites another event: a guard's name may return with its pid. After a kill between the two calls, the event is in both
	 * places under one name, and {@link recover} removes the stored one.
	 */
	private async putBack(folder: string, name: string): Promise<void> {
		const from = join(folder, name);
		const to = join(this.paths.spool, name);
		try {
			await link(from, to);
			await rm(from, { force: true });
		} catch (error) {
			if (hasErrno(error, 'ENOENT')) return; // somebody else was first
			if (!hasErrno(error, 'EEXIST')) throw error;
			const [own, other] = await Promise.all([lstat(from), lstat(to).catch(() => undefined)]);
			if (own.ino === other?.ino) return rm(from, { force: true });
			// A rename, so that a kill leaves it in one place. Under two names it would be stored twice.
			await moveIfThere(from, join(this.paths.spool, name.replace(/\.json$/, `.${uniqueHex(12)}.json`)));
		}
	}
}
