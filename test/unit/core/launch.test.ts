import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { planWorker } from '../../../src/core/launch.ts';
import { installRuntime } from '../../../src/core/runtime.ts';
import { Workspace } from '../../../src/core/workspace.ts';
import { TaskName } from '../../../src/protocol/names.ts';
import { fakeDriver } from '../../support/fakeDriver.ts';
import { tempFolder } from '../../support/tempFolder.ts';

it('an agent started by the installed nancy does not inherit what nancy itself runs with', async () => {
	await using folder = tempFolder();
	const cli = folder.file('nancy.js');
	writeFileSync(cli, 'console.log(JSON.stringify(process.env))');
	const root = join(import.meta.dirname, '../../..');
	const { bin } = await installRuntime(
		{ guard: join(root, 'hooks/nancy-hook'), hook: cli, cli, skills: join(root, 'skills') },
		'0.1.0',
		folder.file('nancy'),
		{ executable: process.execPath, isElectron: true },
	);
	const env = JSON.parse(execFileSync(join(bin, 'nancy'), { encoding: 'utf8' })) as Record<string, string>;
	expect(env).toMatchObject({ ELECTRON_RUN_AS_NODE: '1', NODE_COMPILE_CACHE: expect.stringContaining('nancy') });

	const workspace = new Workspace(folder.file('project'));
	const task = TaskName.parse('build');
	const createdAt = new Date().toISOString();
	await workspace.createTask({
		version: 1,
		name: task,
		title: '',
		prompt: '',
		agent: fakeDriver.id,
		createdAt,
		origin: 'nancy',
	});
	const plan = (inherited: Record<string, string>) =>
		planWorker(workspace, fakeDriver, { executable: '/a', version: [1, 0, 0] }, { task, bin, env: inherited });
	expect((await plan(env)).env).toMatchObject({ NODE_COMPILE_CACHE: null, ELECTRON_RUN_AS_NODE: null });
	expect((await plan({ NODE_COMPILE_CACHE: '/home/me/cache' })).env).not.toHaveProperty('NODE_COMPILE_CACHE');
});
