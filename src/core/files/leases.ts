import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { liveness, type ProcessIdentity } from '../../base/liveness.ts';
import { ownMachine } from '../../base/machine.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { uniqueHex } from '../../base/unique.ts';
import { writeInPlace } from './links.ts';

/** After this silence of a machine, in milliseconds, others may take what it holds. */
const LEASE_MS = 60_000;

/** How often a machine that holds something renews its lease, in milliseconds. */
const RENEWAL_MS = 10_000;

/** When this process renewed last, by folder, in its own time. */
const renewed = new Map<string, number>();

/**
 * The machines at work on a shared folder. Each has a file that its processes write again and again while they hold something. Nobody can
 * see whether a process of another machine lives. After a minute of silence, by the clock of the shared disk, others may take what the
 * machine holds. The machines' own clocks differ.
 */
export class Leases {
	/** @param folder where the files are; made when the first is written */
	constructor(private readonly folder: string) {}

	/** The leases for a file below `.nancy`; for a file elsewhere, leases beside it. */
	static for(file: string): Leases {
		const root = /^.*[\\/]\.nancy(?=[\\/])/.exec(file)?.[0];
		return new Leases(root === undefined ? join(dirname(file), '.machines') : join(root, 'machines'));
	}

	/** To be called before something is taken, and every ten seconds while it is held. More frequent calls cost nothing. */
	async renew(): Promise<void> {
		const machine = ownMachine();
		if (machine === undefined || performance.now() - (renewed.get(this.folder) ?? -Infinity) < RENEWAL_MS) return;
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
		const renewing = setInterval(() => void this.renew().catch(() => undefined), RENEWAL_MS).unref();
		return { dispose: () => clearInterval(renewing) };
	}

	/** Whether a process still owns what it holds. In doubt it does: late is better than twice. */
	async isHeld(holder: ProcessIdentity): Promise<boolean> {
		const alive = liveness(holder);
		return alive === 'alive' || (alive === 'unknown' && !(await this.isOver(holder.machine)));
	}

	private async isOver(machine: string | undefined): Promise<boolean> {
		if (machine === undefined) return false;
		const heard = await stat(join(this.folder, machine)).catch(() => undefined);
		if (!heard) return true; // whoever holds something has written it before
		const now = await this.now().catch(() => undefined);
		return now !== undefined && now - heard.mtimeMs > LEASE_MS;
	}

	/** The time of the disk's clock, in milliseconds. */
	private async now(): Promise<number> {
		const file = join(this.folder, `.${uniqueHex(12)}.tmp`);
		try {
			await writeInPlace(file, '', 'overwrite');
			return (await stat(file)).mtimeMs;
		} finally {
			await rm(file, { force: true });
		}
	}
}
