import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { createFileAtomic } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import { ownIdentity, PROCESS_WORD, processOf, processWord, type ProcessIdentity } from '../../base/liveness.ts';
import { entriesOf } from '../../base/listing.ts';
import { ProcessRecord } from '../../protocol/records.ts';
import { Leases } from './leases.ts';
import { readMark } from './plainFile.ts';

/** The holder of a lock. The token tells apart several holders in one process. */
const LockFile = z.lazy(() => z.looseObject({ ...ProcessRecord.shape, token: z.string() }));

const TOKEN = new RegExp(`^${PROCESS_WORD}-\\d+$`);

let count = 0;

/**
 * A file that one process at a time holds, over all windows and commands. A dead owner's lock is taken over. The collector's lock keeps two
 * collectors from interleaving; a claim by rename, not the lock, keeps events from being stored twice.
 */
export class ProcessLock {
	private readonly me: ProcessIdentity = ownIdentity();
	private readonly token = `${processWord(this.me)}-${++count}`;
	private readonly leases: Leases;

	constructor(private readonly file: string) {
		this.leases = Leases.for(file);
	}

	/**
	 * Whether this holder has the lock now. Takes it if nobody alive has it. To be called again and again while it is held, because other
	 * machines know the holder only by that.
	 */
	async hold(): Promise<boolean> {
		const text = await readMark(this.file);
		if (text === undefined) return this.create();
		const owner = ownerOf(text);
		if (owner?.token === this.token) {
			await this.leases.renew();
			return true;
		}
		if (owner && (await this.leases.isHeld(owner))) return false;
		return (await this.remove(text)) && this.create();
	}

	/** Gives the lock to the next caller. */
	async release(): Promise<void> {
		const text = await readMark(this.file);
		if (text !== undefined && ownerOf(text)?.token === this.token) await this.remove(text);
	}

	private async create(): Promise<boolean> {
		await this.leases.renew();
		return createFileAtomic(this.file, `${JSON.stringify({ ...this.me, token: this.token })}\n`);
	}

	/** Removes the lock only if it still is the one that was read. Another process may have replaced it meanwhile. */
	private async remove(expected: string): Promise<boolean> {
		const aside = `${this.file}.${this.token}`;
		try {
			await rename(this.file, aside);
		} catch (error) {
			if (hasErrno(error, 'ENOENT')) return true;
			throw error;
		}
		const taken = await readMark(aside);
		const isExpected = taken === undefined || taken === expected;
		if (!isExpected) await createFileAtomic(this.file, taken);
		await rm(aside, { force: true });
		return isExpected;
	}
}

/** Removes a lock whose holder is dead, and files of processes that died while they gave it back. */
export async function sweepLock(file: string): Promise<void> {
	const folder = dirname(file);
	for (const { name } of await entriesOf(folder)) {
		if (!name.startsWith(`${basename(file)}.`)) continue;
		const process = TOKEN.exec(name.slice(basename(file).length + 1))?.groups;
		if (process && !(await Leases.for(file).isHeld(processOf(process))))
			await rm(join(folder, name), { force: true });
	}
	if ((await readMark(file)) === undefined) return;
	// Taking it over and giving it back removes it. A lock of a living holder stays.
	const lock = new ProcessLock(file);
	if (await lock.hold()) await lock.release();
}

function ownerOf(text: string): z.infer<typeof LockFile> | undefined {
	try {
		const parsed = LockFile.safeParse(JSON.parse(text));
		return parsed.success ? parsed.data : undefined;
	} catch {
		// Half a lock cannot be (it is linked into place): a person or another program wrote it.
		return undefined;
	}
}
