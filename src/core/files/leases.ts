import { lstat, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { entriesOf } from '../../base/listing.ts';
import { liveness, type ProcessIdentity } from '../../base/liveness.ts';
import { ownMachine } from '../../base/machine.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { uniqueHex } from '../../base/unique.ts';
import { writeInPlace } from './links.ts';

/** After this silence of a machine, in milliseconds, others may take what it holds. */
const LEASE_MS = 60_000;

/** How often a sign of life is renewed while something is held, in milliseconds. */
export const RENEWAL_MS = 10_000;

/** A machine that was silent for so long holds nothing here any more, in milliseconds. Its file goes. */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000;

/** When this process renewed last, by folder, in its own time. */
const renewed = new Map<string, number>();

/**
 * Whether a process still owns what it holds. Nobody can see whether a process of another machine lives. After a minute of silence, others
 * may take what it holds. In doubt it is held: late is better than twice.
 * @param sign the file that is dated again and again while the process holds something. Its date is of the disk's clock, because the
 * machines' own clocks differ
 * @param folder on the same disk, for {@link diskTime}
 */
export async function isHeldBy(holder: ProcessIdentity, sign: string, folder: string): Promise<boolean> {
	const alive = liveness(holder);
	if (alive !== 'unknown') return alive === 'alive';
	try {
		// First, for this process may be held up in between.
		const now = await diskTime(folder);
		return now - (await lstat(sign)).mtimeMs <= LEASE_MS;
	} catch (error) {
		return !hasErrno(error, 'ENOENT'); // whoever holds something has written it before
	}
}

/** The time of the disk's clock, in milliseconds. */
export async function diskTime(folder: string): Promise<number> {
	const file = join(folder, `.${uniqueHex(12)}.tmp`);
	try {
		await writeFile(file, '', { mode: 0o600, flag: 'wx' });
		return (await stat(file)).mtimeMs;
	} finally {
		await rm(file, { force: true });
	}
}

/**
 * The machines at work in a folder that several may share. Each has a file that its processes write again and again while they hold a
 * claim, a delegate or a question there. A lock dates itself: see {@link ProcessLock}.
 */
export class Leases {
	/** @param folder where the files are; made when the first is written */
	constructor(private readonly folder: string) {}

	/** The leases of the `.nancy` that this file is in. */
	static for(file: string): Leases {
		const root = /^.*[\\/]\.nancy(?=[\\/])/.exec(file)?.[0] ?? dirname(file);
		return new Leases(join(root, 'machines'));
	}

	/** To be called before something is taken, and every ten seconds while it is held. More frequent calls cost nothing. */
	async renew(): Promise<void> {
		const machine = ownMachine();
		const last = renewed.get(this.folder) ?? -Infinity;
		// A write takes its time. So ten seconds after the last call, it is less than that since the last renewal.
		if (machine === undefined || performance.now() - last < RENEWAL_MS / 2) return;
		const file = join(this.folder, machine);
		// Written, so that the disk dates it. A time set by this process would be this machine's.
		const write = () => writeInPlace(file, 'at work\n', 'overwrite');
		await write().catch(async (error: unknown) => {
			if (!hasErrno(error, 'ENOENT')) throw error;
			await mkdir(this.folder, { recursive: true, mode: 0o700 });
			await write();
		});
		renewed.set(this.folder, performance.now());
	}

	/** Renews until it is disposed, for what is held for long. */
	keep(): Disposable {
		const renew = () => void this.renew().catch(() => undefined);
		renew();
		const renewing = setInterval(renew, RENEWAL_MS).unref();
		return { dispose: () => clearInterval(renewing) };
	}

	/** Whether a process still owns what it holds: see {@link isHeldBy}. */
	async isHeld(holder: ProcessIdentity): Promise<boolean> {
		return isHeldBy(holder, join(this.folder, holder.machine ?? ''), this.folder);
	}

	/** Removes the files of other machines that have been silent for a day. */
	async sweep(): Promise<void> {
		const files = (await entriesOf(this.folder)).filter(entry => entry.isFile() && entry.name !== ownMachine());
		if (files.length === 0) return;
		const now = await diskTime(this.folder);
		for (const { name } of files) {
			const file = join(this.folder, name);
			const heard = await lstat(file).catch(() => undefined);
			if (heard && now - heard.mtimeMs > FORGOTTEN_MS) await rm(file, { force: true });
		}
	}
}
