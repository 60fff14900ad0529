import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { createFileAtomic } from '../../base/atomicFile.ts';
import { hasErrno } from '../../base/errors.ts';
import { liveness, ownIdentity, type ProcessIdentity } from '../../base/liveness.ts';
import { entriesOf } from '../../base/listing.ts';
import { ProcessRecord } from '../../protocol/records.ts';
import { readMark } from './plainFile.ts';

/** Who holds a lock. The token tells apart several holders in one process. */
const LockFile = z.lazy(() => z.looseObject({ ...ProcessRecord.shape, token: z.string() }));

let count = 0;

/**
 * A file that one process at a time holds, over all windows and commands. A dead owner's lock is taken over. The collector's is
 * not what keeps events from being stored twice (a claim by rename does); it keeps two collectors from interleaving.
 */
export class ProcessLock {
	private readonly me: ProcessIdentity = ownIdentity();
	private readonly token = `${this.me.pid}-${this.me.startedTicks}-${++count}`;

	constructor(private readonly file: string) {}

	/** Whether this holder has the lock now, taking it when nobody alive has it. */
	async hold(): Promise<boolean> {
		const text = await readMark(this.file);
		if (text === undefined) return this.create();
		const owner = ownerOf(text);
		if (owner?.token === this.token) return true;
		// In doubt the owner lives: a late event is better than a garbled file.
		if (owner && liveness(owner) !== 'dead') return false;
		return (await this.remove(text)) && this.create();
	}

	/** Hands over to whoever asks next. */
	async release(): Promise<void> {
		const text = await readMark(this.file);
		if (text !== undefined && ownerOf(text)?.token === this.token) await this.remove(text);
	}

	private create(): Promise<boolean> {
		return createFileAtomic(this.file, `${JSON.stringify({ ...this.me, token: this.token })}\n`);
	}

	/** Removes the lock only if it still is the one that was read: another process may have replaced it meanwhile. */
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

/** Removes what processes that died while they gave this lock back have left beside it. */
export async function sweepLock(file: string): Promise<void> {
	const folder = dirname(file);
	for (const { name } of await entriesOf(folder)) {
		if (!name.startsWith(`${basename(file)}.`)) continue;
		const [, pid, startedTicks] = /^(\d+)-(\d+)-\d+$/.exec(name.slice(basename(file).length + 1)) ?? [];
		if (pid === undefined) continue;
		if (liveness({ pid: Number(pid), startedTicks: Number(startedTicks) }) === 'dead')
			await rm(join(folder, name), { force: true });
	}
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
