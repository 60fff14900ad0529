import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Disposable } from '../../../../src/base/lifetime.ts';
import { watch, type WatchOptions } from '../../../../src/core/live/watch.ts';
import { eventually } from '../../../support/eventually.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let folder: TempFolder;
let watching: Disposable | undefined;
let seen: Set<string>;

beforeEach(() => {
	folder = tempFolder();
	seen = new Set();
});
afterEach(async () => {
	watching?.dispose();
	await folder.remove();
});

async function start(root: string, options: WatchOptions = { pollMs: 60_000 }): Promise<void> {
	watching = watch(root, folders => folders.forEach(each => seen.add(each)), options);
	await sleep(100);
}

describe('watch', () => {
	it('reports a file that comes, is replaced, or goes', async () => {
		await mkdir(folder.file('a/b'), { recursive: true });
		await start(folder.path);
		expect([...seen]).toEqual([]);
		const file = folder.file('a/b/one');
		for (const change of [() => writeFile(file, '1'), () => rename(file, `${file}2`), () => rm(`${file}2`)]) {
			seen.clear();
			await change();
			await eventually('a report', () => seen.has(folder.file('a/b')), { timeoutMs: 1000, everyMs: 5 });
		}
	});

	it('watches folders that are made later, and reports what they held already', async () => {
		await start(folder.path);
		await mkdir(folder.file('new/deep'), { recursive: true });
		await writeFile(folder.file('new/deep/file'), '');
		await eventually('the new folder', () => seen.has(folder.file('new/deep')), { timeoutMs: 1000 });
		seen.clear();
		await sleep(50);
		await writeFile(folder.file('new/deep/other'), '');
		await eventually('a file in it', () => seen.has(folder.file('new/deep')), { timeoutMs: 1000 });
	});

	it('waits for a root that does not exist, and for one that was removed', async () => {
		const root = folder.file('root');
		await start(root, { pollMs: 50 });
		for (let round = 0; round < 2; round++) {
			await mkdir(join(root, 'a'), { recursive: true });
			await eventually('the root', () => seen.has(root), { timeoutMs: 1000 });
			await rm(root, { recursive: true });
			await sleep(150);
			seen.clear();
		}
	});

	it('looks into neither hidden nor ignored folders', async () => {
		await mkdir(folder.file('.hidden'));
		await mkdir(folder.file('ignored'));
		await start(folder.path, { pollMs: 20, ignore: each => each.endsWith('ignored') });
		await writeFile(folder.file('.hidden/a'), '');
		await writeFile(folder.file('ignored/a'), '');
		await sleep(150);
		expect([...seen]).toEqual([]);
	});

	it('survives folders that come and go all the time', async () => {
		await start(folder.path, { pollMs: 5 });
		for (let i = 0; i < 100; i++) {
			await mkdir(folder.file(`f${i % 5}/x/y`), { recursive: true });
			await rm(folder.file(`f${i % 5}`), { recursive: true, force: true });
		}
		seen.clear();
		await mkdir(folder.file('last'));
		await writeFile(folder.file('last/one'), '');
		await eventually('the last', () => seen.has(folder.path), { timeoutMs: 1000 });
	});
});
