import { existsSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dataFolder } from '../../../src/base/folders.ts';
import { IN_WINDOW } from '../../../src/core/asker/asker.ts';
import { deleteTask } from '../../../src/core/sessions/deletion.ts';
import { FOUND_TASK_MS } from '../../../src/core/live/foundTasks.ts';
import { sweepLeftovers } from '../../../src/core/live/leftovers.ts';
import { codex } from '../../../src/drivers/codex/driver.ts';
import * as operations from '../../../src/operations/index.ts';
import { perform } from '../../../src/operations/operation.ts';
import { gitRepository } from '../../support/gitRepository.ts';
import { address } from '../../support/hookedWorker.ts';
import { PreparedWorker } from '../../support/preparedWorker.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

let folder: TempFolder;
let worker: PreparedWorker;
beforeEach(async () => {
	folder = tempFolder('nancy ');
	worker = await PreparedWorker.in(folder.path);
});
afterEach(async () => {
	await worker[Symbol.asyncDispose]();
	await folder.remove();
});

async function send(text = 'Go on.', { workspace } = worker): Promise<void> {
	await perform(
		await operations.send(),
		IN_WINDOW,
		{ to: address, priority: 'normal', effect: 'none', text },
		{
			workspace,
			dataFolder: dataFolder(),
			env: process.env,
			isTrusted: true,
			settings: { hooks: undefined, tokenThreshold: undefined },
			readSettings: () => Promise.resolve({}),
			installRuntime: () => Promise.reject(new Error('nothing is installed in this test')),
			look: () => Promise.reject(new Error('not asked for')),
			watch: () => Promise.reject(new Error('nothing is watched in this test')),
			note: () => undefined,
		},
	);
}

const files = ({ prepared } = worker) => ['', '.md', '.seal'].filter(ending => existsSync(prepared + ending));
const update = (change: object) => worker.workspace.updateWorker(address, record => record && { ...record, ...change });

it('prepares the answer for an agent at work, which needs no program then', async () => {
	await send();
	expect(files()).toEqual(['', '.md', '.seal']);
	expect(worker.hook().stdout).toContain('Go on.');
	expect(files()).toEqual([]);
});

it('keeps only the answer for the last message', async () => {
	await send('The first.');
	await send('The second.');
	const { stdout } = worker.hook();
	expect(stdout).toContain('The first.');
	expect(stdout).toContain('The second.');
	expect(files()).toEqual([]);
});

it.each([
	['an agent that has ended', () => worker[Symbol.asyncDispose]()],
	['an agent of another machine', () => update({ process: { machine: 'a.b.c', pid: 1, startedTicks: 1 } })],
	['a CLI whose receipts need the payload', () => update({ agent: codex.id })],
	[
		'a session whose record is not known yet',
		() => update({ sessions: [{ id: worker.session, startedAt: '2026-01-01T00:00:00.000Z' }] }),
	],
	[
		'a session that is not bound',
		() => update({ sessions: [{ id: 'other', startedAt: '2026-01-01T00:00:00.000Z', transcript: '/t' }] }),
	],
])('prepares nothing for %s', async (_, change) => {
	await change();
	await send();
	expect(files()).toEqual([]);
	expect(existsSync(join(dataFolder(), 'prepared', 'other'))).toBe(false);
});

it.each([
	['later', 1],
	['in the same tick of the clock', 0],
])('is not used once git’s index has changed %s', async (_, seconds) => {
	await using repository = gitRepository();
	await using inCheckout = await PreparedWorker.in(repository.root);
	await send('Go on.', inCheckout);
	expect(files(inCheckout)).toEqual(['', '.md', '.seal']);
	repository.git(['add', '--force', '.nancy/sessions']);
	const { atime, mtime } = statSync(inCheckout.prepared);
	utimesSync(inCheckout.prepared, atime, mtime);
	const changed = new Date(mtime.getTime() + seconds * 1000);
	utimesSync(join(repository.root, '.git/index'), changed, changed);
	expect(inCheckout.hook().stdout).toBe('');
});

it('is removed with its worker', async () => {
	await send();
	await deleteTask(worker.workspace, address.task);
	expect(files()).toEqual([]);
});

it('is removed two weeks after its session has ended', async () => {
	await send();
	await sweepLeftovers(worker.workspace);
	expect(files()).toEqual(['', '.md', '.seal']);
	await worker[Symbol.asyncDispose]();
	const long = new Date(Date.now() - FOUND_TASK_MS - 1000);
	utimesSync(worker.workspace.paths.bell(worker.session), long, long);
	await sweepLeftovers(worker.workspace);
	expect(files()).toEqual([]);
});
