import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { identify, processWord } from '../../src/base/liveness.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { ProcessLock } from '../../src/core/files/processLock.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { notLinux } from '../support/skipped.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

// An agent may write into the folder of a lock below the workspace.

let folder: TempFolder;
let lock: string;
beforeEach(() => {
	folder = tempFolder('nancy-locks-');
	lock = folder.file('queue.lock');
	mkdirSync(lock);
});
afterEach(() => folder.remove());

it.skipIf(notLinux).each<[string, (file: string) => void]>([
	['a file', file => writeFileSync(file, 'theirs')],
	['a folder with files', file => (mkdirSync(file), writeFileSync(join(file, 'y'), 'theirs'))],
	['a link', file => symlinkSync(folder.path, file)],
])(`%s in a lock that names no holder does not keep it for good${notLinux}`, async (_, make) => {
	make(join(lock, 'x'));
	const taken = new ProcessLock(lock);
	expect(await taken.hold()).toBe(true);
	expect(await new ProcessLock(lock).hold()).toBe(false);
	await taken.release();
	expect(readdirSync(folder.path)).toEqual([expect.stringMatching(/^\.[0-9a-f]{12}\.tmp$/)]);
});

it('nothing is moved out of a folder of the user’s that a lock becomes a link to', async () => {
	writeFileSync(join(lock, 'id_rsa'), '');
	const theirs = folder.file('theirs');
	mkdirSync(theirs);
	writeFileSync(join(theirs, 'id_rsa'), 'a key');
	const real: (...args: never[]) => unknown = fs.readdir;
	Reflect.set(fs, 'readdir', async (...args: unknown[]) => {
		Reflect.set(fs, 'readdir', real);
		syncBuiltinESMExports();
		const names: unknown = await Reflect.apply(real, fs, args);
		renameSync(lock, folder.file('aside'));
		symlinkSync(theirs, lock);
		return names;
	});
	syncBuiltinESMExports();
	expect(await new ProcessLock(lock).hold()).toBe(false);
	expect(readFileSync(join(theirs, 'id_rsa'), 'utf8')).toBe('a key');
	rmSync(lock);
});

it('a living process that a lock below the workspace names keeps no delegate back', async () => {
	const delegates = new Delegates(new Workspace(folder.file('project'), folder.file('data')));
	const planted = join(delegates.folder, 'queue.lock');
	mkdirSync(planted, { recursive: true });
	writeFileSync(join(planted, `${processWord(identify(process.ppid))}-abcdefabcdef`), '');
	expect(await delegates.locked(() => Promise.resolve('mine'), 100)).toBe('mine');
});
