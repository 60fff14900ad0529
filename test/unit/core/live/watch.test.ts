import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Disposable } from '../../../../src/base/lifetime.ts';
import { watch, type WatchOptions } from '../../../../src/core/live/watch.ts';
import { countCalls, type CountedCalls } from '../../../support/countedCalls.ts';
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
	await new Promise<void>(ready => {
		watching = watch(root, folders => folders.forEach(each => seen.add(each)), { ...options, onReady: ready });
	});
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
			await eventually('a report', () => seen.has(folder.file('a/b')), { everyMs: 5 });
		}
	});

	it('watches folders that are made later, and reports what they held already', async () => {
		await start(folder.path);
		await mkdir(folder.file('new/deep'), { recursive: true });
		await writeFile(folder.file('new/deep/file'), '');
		await eventually('the new folder', () => seen.has(folder.file('new/deep')));
		seen.clear();
		await sleep(50);
		await writeFile(folder.file('new/deep/other'), '');
		await eventually('a file in it', () => seen.has(folder.file('new/deep')));
	});

	it('waits for a root that does not exist, and for one that was removed', async () => {
		const root = folder.file('.root');
		await start(root);
		for (let round = 0; round < 2; round++) {
			await mkdir(join(root, 'a'), { recursive: true });
			await eventually('the root', () => seen.has(root));
			await rm(root, { recursive: true });
			await sleep(150);
			seen.clear();
		}
	});

	it('reports every folder below a root that was moved away, though no notification tells of these', async () => {
		const root = folder.file('root');
		await mkdir(join(root, 'a/b'), { recursive: true });
		await start(root, { pollMs: 50 });
		await rename(root, folder.file('elsewhere'));
		await eventually('the folders in it', () => seen.has(join(root, 'a')) && seen.has(join(root, 'a/b')));
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
		await eventually('the last', () => seen.has(folder.path));
	});

	describe('with many files or folders', () => {
		let calls: CountedCalls;
		beforeEach(() => {
			calls = countCalls('lstat', 'lstatSync', 'readdir');
		});
		afterEach(() => calls.stop());

		it('lists a folder in which thousands of files come and go no more than a few times', async () => {
			await mkdir(folder.file('spool'));
			await start(folder.path);
			calls.clear();
			for (let i = 0; i < 1500; i++) await writeFile(folder.file(`spool/${i}`), '');
			for (let i = 0; i < 1500; i++) await rm(folder.file(`spool/${i}`));
			await mkdir(folder.file('spool/last'));
			await writeFile(folder.file('spool/last/one'), '');
			await eventually('the folder made last', () => seen.has(folder.file('spool/last')));
			expect(calls.count('readdir')).toBeLessThan(10);
			expect(calls.paths('lstat', 'lstatSync').length).toBeLessThan(4 * 3000);
		});

		it('looks at nothing of a folder whose content is ignored', async () => {
			await mkdir(folder.file('spool'));
			await start(folder.path, { pollMs: 60_000, ignore: each => dirname(each) === folder.file('spool') });
			calls.clear();
			for (let i = 0; i < 100; i++) await writeFile(folder.file(`spool/${i}`), '');
			await eventually('a report', () => seen.has(folder.file('spool')));
			await sleep(50);
			expect(calls.paths('lstat', 'lstatSync', 'readdir')).toEqual([]);
		});

		it('looks at a bounded number of folders each time, and misses none in the end', async () => {
			for (let i = 0; i < 300; i++) await mkdir(folder.file(`tasks/t${i}/inbox`), { recursive: true });
			await start(folder.path, { pollMs: 1, pollFolders: 50 });
			const all = ['', '/tasks', ...[...Array(300).keys()].flatMap(i => [`/tasks/t${i}`, `/tasks/t${i}/inbox`])];
			calls.clear();
			const unseen = () => all.filter(each => !calls.paths('lstat', 'lstatSync').includes(folder.path + each));
			await eventually('a look at each of them', () => unseen().length === 0);
			// Each look begins at the root.
			const looks = calls
				.paths('lstat', 'lstatSync')
				.join('\n')
				.split(new RegExp(`^${folder.path}$`, 'm'));
			expect(Math.max(...looks.map(look => look.trim().split('\n').length))).toBeLessThanOrEqual(52);
		});

		it('stops watching what was below a folder that was moved away', async () => {
			await mkdir(folder.file('a/b/c'), { recursive: true });
			await start(folder.path);
			const away = tempFolder();
			await rename(folder.file('a'), away.file('a'));
			await eventually('the move', () => seen.has(folder.file('a/b/c')));
			seen.clear();
			await writeFile(away.file('a/b/c/file'), '');
			await sleep(100);
			expect([...seen]).toEqual([]);
			await away.remove();
		});
	});
});
