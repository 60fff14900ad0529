import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TEMPORARY } from '../../../../src/base/atomicFile.ts';
import { OwnFolder } from '../../../../src/core/files/ownFolder.ts';
import { abandonOnce, onceStarted } from '../../../../src/ui/tasks/startOnce.ts';
import { tempFolder } from '../../../support/tempFolder.ts';
import { STARTS } from '../../../../src/core/start/workerProcess.ts';

it('a terminal that VS Code brings back after it was quit starts no agent a second time', async () => {
	await using folder = tempFolder();
	const own = new OwnFolder(folder.file('data'), folder.path);
	const plan = { command: '/bin/sh', args: ['-c', `printf '%s' "$1"`, 'sh', 'it is “started”'] };
	const once = await onceStarted(own, plan);
	expect(once.isTransient).toBe(false);
	const run = () => spawnSync(once.shellPath, once.shellArgs, { encoding: 'utf8' });
	expect(run()).toMatchObject({ status: 0, stdout: expect.stringMatching(/C.it is “started”$/s) });
	expect(run()).toMatchObject({ status: 0, stdout: '', stderr: '' });
	// What is left goes with the next sweep.
	const [left = '', ...others] = readdirSync(own.path(STARTS));
	expect(left).toMatch(TEMPORARY);
	expect(others).toEqual([]);
	rmSync(own.path(STARTS), { recursive: true });
	expect(run()).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

it('a start that did not come to be leaves nothing but what a sweep removes', async () => {
	await using folder = tempFolder();
	const own = new OwnFolder(folder.file('data'), folder.path);
	const once = await onceStarted(own, { command: 'claude', args: [] });
	const [name = ''] = readdirSync(own.path(STARTS));
	expect(name).toMatch(TEMPORARY);
	abandonOnce(once);
	expect(existsSync(own.path(STARTS).concat(`/${name}`))).toBe(false);
});
