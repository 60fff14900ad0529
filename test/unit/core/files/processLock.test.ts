import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ownIdentity, processWord } from '../../../../src/base/liveness.ts';
import { ownMachine } from '../../../../src/base/machine.ts';
import { holdingLock } from '../../../../src/core/files/holdingLock.ts';
import { Leases, RENEWAL_MS } from '../../../../src/core/files/leases.ts';
import { ProcessLock } from '../../../../src/core/files/processLock.ts';
import { eventually } from '../../../support/eventually.ts';
import { killedAt } from '../../../support/killedAt.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let folder: TempFolder;
let file: string;

beforeEach(() => {
	folder = tempFolder();
	file = join(folder.path, 'x.lock');
});
afterEach(() => {
	vi.useRealTimers();
	return folder.remove();
});

const DEAD = '4000000-1-0123456789ab';

function heldBy(...names: string[]): void {
	mkdirSync(file);
	for (const name of names) writeFileSync(join(file, name), '');
}

describe('a lock', () => {
	it('has one holder, named by its file, and leaves nothing behind', async () => {
		const [one, other] = [new ProcessLock(file), new ProcessLock(file)];
		expect(await one.hold()).toBe(true);
		expect(await one.hold()).toBe(true);
		expect(await other.hold()).toBe(false);
		expect(readdirSync(file)).toEqual([expect.stringMatching(`^${processWord(ownIdentity())}-[0-9a-f]{12}$`)]);
		await other.release();
		expect(await other.hold()).toBe(false);
		await one.release();
		expect(await other.hold()).toBe(true);
		await other.release();
		expect(readdirSync(folder.path)).toEqual([]);
	});

	it('is taken over from a dead holder, and after a kill between any two steps of that', async () => {
		heldBy(DEAD);
		const taken = new ProcessLock(file);
		expect(await taken.hold()).toBe(true);
		await taken.release();
		// The dead holder's file is removed, and the next holder's folder is not in place yet.
		heldBy();
		mkdirSync(join(folder.path, '.0123456789ab.tmp'));
		expect(await new ProcessLock(file).hold()).toBe(true);
	});

	it.each(['rm', 'writeFile', 'rename'] as const)('stays its holder’s if a taker is slow before %s', async call => {
		heldBy(DEAD);
		const [quick, slow] = [new ProcessLock(file), new ProcessLock(file)];
		let isQuick: boolean | undefined;
		const real: (...args: never[]) => unknown = fs[call];
		Reflect.set(fs, call, async (...args: unknown[]) => {
			Reflect.set(fs, call, real);
			syncBuiltinESMExports();
			isQuick = await quick.hold();
			return Reflect.apply(real, fs, args);
		});
		syncBuiltinESMExports();
		expect(await slow.hold()).toBe(false);
		expect(isQuick).toBe(true);
		expect(await quick.hold()).toBe(true);
		expect(readdirSync(folder.path)).toEqual([basename(file)]);
	});

	it('has one holder at a time, however many want it after a dead one', async () => {
		let inside = 0;
		for (let round = 0; round < 8; round++) {
			if (!existsSync(file)) heldBy(DEAD);
			const work = async () =>
				holdingLock(file, async () => {
					expect(++inside).toBe(1);
					await sleep(1);
					inside--;
				});
			await Promise.all(Array.from({ length: 6 }, work));
		}
	});

	it('is what has been lost by a holder that another machine believed to be gone', async () => {
		const lock = new ProcessLock(file);
		await lock.hold();
		for (const name of readdirSync(file)) rmSync(join(file, name));
		const other = new ProcessLock(file);
		expect(await other.hold()).toBe(true);
		await lock.release();
		expect(await other.hold()).toBe(true);
	});

	it('is no link and no file: these are removed, and the target stays', async () => {
		const target = join(folder.path, 'target');
		mkdirSync(target);
		writeFileSync(join(target, DEAD), 'mine');
		symlinkSync(target, file);
		expect(await new ProcessLock(file).hold()).toBe(true);
		expect(lstatSync(file).isDirectory()).toBe(true);
		expect(readdirSync(target)).toEqual([DEAD]);
	});

	it('is dated every ten seconds while it is held, for other machines, and makes no folder beside it', async () => {
		vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
		await holdingLock(file, async () => {
			const [name = ''] = readdirSync(file);
			const sign = join(file, name);
			utimesSync(sign, 1, 1);
			const before = Date.now();
			await vi.advanceTimersByTimeAsync(10_500);
			await eventually('it is dated anew', () => lstatSync(sign).mtimeMs >= before - 1000);
			expect(readdirSync(folder.path)).toEqual([basename(file)]);
		});
		expect(readdirSync(folder.path)).toEqual([]);
	});
});

it('a lock is whole after a kill before any file call of its taker', async () => {
	let ended: string | undefined;
	let kills = 0;
	for (; ended !== 'finished'; kills++) {
		heldBy(DEAD);
		ended = await killedAt(kills, 'holdOnce', [file]);
		expect(['SIGKILL', 'finished']).toContain(ended);
		const lock = new ProcessLock(file);
		expect(await lock.hold()).toBe(true);
		await lock.release();
		expect(readdirSync(folder.path).filter(name => !name.endsWith('.tmp'))).toEqual([]);
	}
	expect(kills).toBeGreaterThan(6);
});

it('a sign of life goes after a day, but not that of a machine that works', async () => {
	const leases = new Leases(folder.path);
	await leases.renew();
	const [own = ''] = readdirSync(folder.path);
	for (const [name, hours] of [
		['zz.1.1', 25],
		['zz.1.2', 1],
	] as const) {
		writeFileSync(join(folder.path, name), '');
		utimesSync(join(folder.path, name), Date.now() / 1000 - hours * 3600, Date.now() / 1000 - hours * 3600);
	}
	await leases.sweep();
	expect(readdirSync(folder.path).toSorted()).toEqual([own, 'zz.1.2'].toSorted());
});

it('a sign of life is renewed every ten seconds while something is held', async () => {
	vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
	const lease = new Leases(folder.path).keep();
	// The write takes its time.
	vi.advanceTimersByTime(3);
	const sign = join(folder.path, ownMachine() ?? '');
	await eventually('the sign of life', () => existsSync(sign));
	// It counts as renewed once the write is over.
	await sleep(20);
	utimesSync(sign, 1, 1);
	vi.advanceTimersByTime(RENEWAL_MS - 3);
	await eventually('its renewal', () => lstatSync(sign).mtimeMs > 1000);
	lease.dispose();
});
