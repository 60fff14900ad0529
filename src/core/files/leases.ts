import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import { liveness, type ProcessIdentity } from '../../base/liveness.ts';
import { ownMachine } from '../../base/machine.ts';
import type { Disposable } from '../../base/lifetime.ts';
import { uniqueHex } from '../../base/unique.ts';
import { OVERWRITE } from './links.ts';

/** How long other machines leave alone what a machine holds of which nothing is heard, in milliseconds. */
const LEASE_MS = 60_000;

/** How often a machine that holds something is heard of, in milliseconds. */
const RENEWAL_MS = 10_000;

/** When this process renewed last, by folder, in its own time. */
const renewed = new Map<string, number>();

/**
 * Which machines are at work on a shared folder: a file for each, written again and again by whatever of Nancy's holds something there.
 * Whether a process of another machine lives, nobody can see; what it holds is given back once its machine has been silent for a
 * minute, by the clock of the disk that both share. Machines' own clocks differ.
 */
export class Leases {
	/** @param folder where the files are; made when the first is written */
	constructor(private readonly folder: string) {}

	/** Of what a file below `.nancy` says; for one elsewhere, beside it. */
	static for(file: string): Leases {
		const root = /^.*[\\/]\.nancy(?=[\\/])/.exec(file)?.[0];
		return new Leases(root === undefined ? join(dirname(file), '.machines') : join(root, 'machines'));
	}

	/** To be called before something is taken, and every ten seconds while it is held. Costs nothing when called more often. */
	async renew(): Promise<void> {
		const machine = ownMachine();
		if (machine === undefined || performance.now() - (renewed.get(this.folder) ?? -Infinity) < RENEWAL_MS) return;
		const file = join(this.folder, machine);
		// Written, for the disk then dates it; a time that is set would be this machine's.
		const write = () => writeFile(file, 'at work\n', { mode: 0o600, flag: OVERWRITE });
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

	/** Whether what a process holds is still its own. In doubt it is: late is better than twice. */
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

	/** What the disk's clock says, in milliseconds. */
	private async now(): Promise<number> {
		const file = join(this.folder, `.${uniqueHex(12)}.tmp`);
		try {
			await writeFile(file, '', { mode: 0o600, flag: OVERWRITE });
			return (await stat(file)).mtimeMs;
		} finally {
			await rm(file, { force: true });
		}
	}
}
