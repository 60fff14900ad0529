import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { drivers } from '../../src/drivers/index.ts';
import { delegateVariables } from '../../src/main/operationContext.ts';
import { WindowDelegates } from '../../src/main/windowDelegates.ts';
import { agentSettings, SETTINGS } from '../../src/ui/contributions.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

describe('a delegate that is started in the window', () => {
	const temp = mkdtempSync(join(tmpdir(), 'nancy-start-'));
	const dataBefore = process.env['XDG_DATA_HOME'];

	before(() => {
		process.env['XDG_DATA_HOME'] = join(temp, 'data');
	});
	after(() => {
		if (dataBefore === undefined) delete process.env['XDG_DATA_HOME'];
		else process.env['XDG_DATA_HOME'] = dataBefore;
		rmSync(temp, { recursive: true, force: true });
	});

	it('is queued once, isolated as the user has set it or has chosen for it, with its id given back, also when the queue cannot be looked at; that is told', async () => {
		const told: unknown[] = [];
		const window = new WindowDelegates({
			installRuntime: () => Promise.reject(new Error('not installed')),
			tell: error => told.push(error),
		});
		const workspace = new Workspace(join(temp, 'project'));
		const folder = unusedFolder(workspace);
		const [driver] = drivers;
		assert.ok(driver && driver.headless !== 'none');
		const program = join(temp, 'agent');
		writeFileSync(program, '#!/bin/sh\necho 999.0.0\n', { mode: 0o755 });
		const settings = vscode.workspace.getConfiguration();
		const { path } = agentSettings(driver.id);
		await settings.update(path, program, vscode.ConfigurationTarget.Global);
		// Known here at once, before it is in the settings file.
		await settings.update(SETTINGS.delegatesIsolate, 'bwrap', vscode.ConfigurationTarget.Global);
		const request = {
			prompt: 'Do it.',
			agent: driver.id,
			permissions: driver.headless.permissionModes[0]?.id ?? '',
			folder: workspace.folder,
		};
		const id = await window.start(folder, request);
		const free = await window.start(folder, { ...request, isolate: 'none' });
		for (const key of [path, SETTINGS.delegatesIsolate])
			await settings.update(key, undefined, vscode.ConfigurationTarget.Global);
		const { delegates } = await new Delegates(workspace).list();
		assert.deepEqual(
			delegates.map(({ record, state }) => [record.id, state, record.isolate]),
			[
				[id, 'queued', 'bwrap'],
				[free, 'queued', undefined],
			],
		);
		const later = 'it is queued, and starts later: not installed';
		assert.deepEqual(told, [later, later]);
	});

	it('leaves to the settings file, which can change while it runs, how many run at once', async () => {
		const settings = vscode.workspace.getConfiguration('nancy');
		await settings.update('delegates.max', 3, vscode.ConfigurationTarget.Global);
		try {
			assert.deepEqual(Object.keys(delegateVariables()), ['NANCY_DELEGATES_HOST']);
		} finally {
			await settings.update('delegates.max', undefined, vscode.ConfigurationTarget.Global);
		}
	});

	it('has nothing made where Nancy is not used when somebody wants all to go on', async () => {
		const workspace = new Workspace(join(temp, 'unused'));
		const window = new WindowDelegates({
			installRuntime: () => Promise.reject(new Error('not installed')),
			tell: () => undefined,
		});
		assert.equal(await window.resume(unusedFolder(workspace), undefined), 0);
		assert.equal(existsSync(workspace.folder), false);
	});

	it('waits no longer for its account once somebody wants it to go on', async () => {
		const workspace = new Workspace(join(temp, 'parked'));
		const store = new Delegates(workspace);
		const window = new WindowDelegates({
			installRuntime: () => Promise.reject(new Error('not installed')),
			tell: () => undefined,
		});
		const until = new Date(Date.now() + 3_600_000).toISOString();
		await store.locked(() => store.park({ version: 1, agent: fakeDriver.id, until, reason: 'limit reached' }));
		const folder = unusedFolder(workspace);
		const [another] = drivers;
		assert.equal(await window.resume(folder, another?.id), 0);
		assert.equal((await store.parked(Date.now())).length, 1);
		assert.equal(await window.resume(folder, fakeDriver.id), 1);
		assert.deepEqual(await store.parked(Date.now()), []);
		assert.equal(await window.resume(folder, undefined), 0);
	});
});
