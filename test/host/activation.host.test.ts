import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { onFirstUse } from '../../src/ui/firstUse.ts';

const extension = vscode.extensions.getExtension('nancy.nancy');
const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
const program = (name: string) => join(extension?.extensionPath ?? '', 'dist', name);
const isLoaded = (name: string) => program(name) in require.cache;

/** Longer than a look at the folder takes. */
const LOOKED_MS = 300;

async function until(isSo: () => boolean): Promise<void> {
	while (!isSo()) await sleep(20);
}

// The first of all suites: nothing of Nancy has been looked at in this window.
describe('activation', () => {
	it('loads nothing of Nancy in a folder that does not use it', async () => {
		await extension?.activate();
		await until(() => isLoaded('late.js'));
		await sleep(LOOKED_MS);
		assert.equal(isLoaded('main.js'), false);
	});

	it('loads Nancy once the folder has a .nancy, whoever has made it', async () => {
		await mkdir(join(folder, '.nancy'));
		await until(() => isLoaded('main.js'));
		// The window's own Nancy may write into it meanwhile.
		await rm(join(folder, '.nancy'), { recursive: true, maxRetries: 20, retryDelay: 100 });
	});

	it('loads nothing but its first few lines before VS Code asks for more', () => {
		for (const each of ['extension.js', 'late.js', 'main.js']) delete require.cache[program(each)];
		// oxlint-disable-next-line typescript/no-require-imports -- as VS Code loads it
		require(program('extension.js'));
		assert.equal(isLoaded('extension.js'), true);
		assert.equal(isLoaded('late.js'), false);
		assert.equal(isLoaded('main.js'), false);
		assert.ok(statSync(program('extension.js')).size < 5000);
	});
});

describe('the first use', () => {
	it('is also a setting of the user, once', async () => {
		let uses = 0;
		const waiting = onFirstUse(() => (uses += 1));
		await sleep(LOOKED_MS);
		assert.equal(uses, 0);
		const settings = vscode.workspace.getConfiguration('nancy');
		await settings.update('delegates.swarmWorker', true, vscode.ConfigurationTarget.Workspace);
		await until(() => uses > 0);
		await settings.update('delegates.swarmWorker', undefined, vscode.ConfigurationTarget.Workspace);
		await sleep(LOOKED_MS);
		assert.equal(uses, 1);
		waiting.dispose();
	});

	it('is not awaited any more by a window that closes', async () => {
		let uses = 0;
		onFirstUse(() => (uses += 1)).dispose();
		await mkdir(join(folder, '.nancy'));
		const waiting = onFirstUse(() => undefined);
		await sleep(LOOKED_MS);
		waiting.dispose();
		assert.equal(uses, 0);
		// The window's own Nancy may write into it meanwhile.
		await rm(join(folder, '.nancy'), { recursive: true, maxRetries: 20, retryDelay: 100 });
	});
});
