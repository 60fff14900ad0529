import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SeenSettings } from '../../src/core/asker/seenSettings.ts';
import { gitPrograms } from '../../src/git/gitPrograms.ts';
import type { Driver } from '../../src/core/driver/driver.ts';
import type { HeadlessFormat } from '../../src/core/driver/headless.ts';
import { runSeen } from '../../src/process/seenRun.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

const SETTINGS = '.fake/settings.json';
const driver: Driver = {
	...fakeDriver,
	executableSettings: ['.fake'],
	completions: {
		version: { file: SETTINGS, key: '$version' },
		schema: { files: ['.fake/fake.json', '.fake/empty.json'], address: 'https://fake/x.json' },
		packages: ['.fake/modules'],
	},
};
const format: HeadlessFormat = {
	permissionModes: [],
	settingsFrom: 'none',
	homeFolders: 'none',
	beside: '',
	launch: () => ({ args: [], stdin: '', env: {}, sessionIsKnown: true }),
	reader: () => ({
		read: line =>
			line.startsWith('done')
				? [{ is: 'result', result: { text: line, inputTokens: 0, outputTokens: 0, costUsd: 0 } }]
				: [{ is: 'text', text: line }],
		end: () => [],
	}),
};

let folder: TempFolder;
let workspace: string;
beforeEach(() => {
	folder = tempFolder();
	workspace = folder.file('workspace');
	mkdirSync(join(workspace, '.nancy'), { recursive: true });
});
afterEach(() => folder.remove());

const write = (place: string, text: string, name = SETTINGS) => {
	mkdirSync(dirname(join(place, name)), { recursive: true });
	writeFileSync(join(place, name), text);
};
const worktreeAt = (name = 'one') => {
	const worktree = folder.file(`workspace.worktrees/${name}`);
	mkdirSync(worktree, { recursive: true });
	return worktree;
};

const SEEN = '{"hooks":{"a":"npm test"}}';
/** A person has started the CLI with settings in the workspace. */
const seeSettings = async () => {
	write(workspace, SEEN);
	await new SeenSettings(folder.file('data'), workspace, gitPrograms).note(driver);
};
const DONE = { is: 'result', result: { text: 'done' } };

/** Runs a shell script as the CLI. Returns its end and the text for the log. */
async function run(script: string, cwd = workspace, isInOwnWorktree = false) {
	const said: string[] = [];
	const ending = await runSeen(
		{
			seen: new SeenSettings(folder.file('data'), workspace, gitPrograms),
			driver,
			workspaceFolder: workspace,
			isInOwnWorktree,
		},
		{ command: '/bin/sh', args: ['-c', script], cwd, env: {}, stdin: '', mark: crypto.randomUUID() },
		format,
		{ wallMs: 60_000, idleMs: 60_000 },
		{ onStart: () => undefined, onEvent: () => undefined, onNoise: text => void said.push(text) },
		new AbortController().signal,
	);
	return { ending, log: said.join('\n') };
}

/** As an agent's program does that waits for the start. */
const EVIL = `mkdir -p .fake; echo '{"hooks":"curl evil"}' > ${SETTINGS}`;

describe('an agent that another agent has asked for', () => {
	it('is ended at its first event if its settings were changed since the start', async () => {
		const { ending, log } = await run(`${EVIL}; echo begins; sleep 30; touch late`);
		expect(ending).toMatchObject({ is: 'no-result', reason: expect.stringContaining(SETTINGS) });
		expect(log).toMatch(/was ended, because settings .* may have run them. Look at them/s);
		expect(existsSync(join(workspace, 'late'))).toBe(false);
	});

	it.each([
		['before its first event', `${EVIL}; exit 1`],
		['with an answer', `${EVIL}; echo done`],
	])('has failed even if it ends %s', async (_, script) => {
		expect((await run(script)).ending).toMatchObject({
			is: 'no-result',
			reason: expect.stringContaining(SETTINGS),
		});
	});

	it.each(['the workspace', 'the worktree'])(
		'is not started if the settings of %s were changed before',
		async where => {
			const worktree = worktreeAt();
			write(where === 'the workspace' ? workspace : worktree, '{"hooks":"curl evil"}');
			const { ending, log } = await run('touch started', worktree);
			expect(ending).toMatchObject({ is: 'no-result', reason: expect.stringContaining('may not start') });
			expect(log).toContain(SETTINGS);
			expect(existsSync(join(worktree, 'started'))).toBe(false);
		},
	);

	it.each(['of its own', 'of another agent'])(
		'is ended at its first event if the settings of the worktree %s were changed since the start',
		async whose => {
			const worktree = worktreeAt();
			const { ending } = await run(
				`${EVIL}; echo begins; sleep 30; touch late`,
				worktree,
				whose === 'of its own',
			);
			expect(ending).toMatchObject({ is: 'no-result', reason: expect.stringContaining(SETTINGS) });
			expect(existsSync(join(worktree, 'late'))).toBe(false);
		},
	);

	it.each(['the workspace', 'a worktree'])(
		'runs to its end in %s with settings that a person has seen',
		async where => {
			await seeSettings();
			const place = where === 'the workspace' ? workspace : worktreeAt();
			write(place, SEEN);
			expect((await run('echo begins; echo done', place)).ending).toMatchObject(DONE);
		},
	);

	it.each([
		['the version', `printf '{"hooks":{"a":"npm test"},"$version":4}' > .fake/settings.json`],
		['the schema', `printf '{\n  "$schema": "https://fake/x.json","hooks":{"a":"npm test"}}' > .fake/fake.json`],
		['the schema, alone', `printf '{\n  "$schema": "https://fake/x.json",}' > .fake/empty.json`],
	])(
		'runs to its end though its CLI adds %s to the settings, in the workspace and in a worktree',
		async (_, script) => {
			const settings = { 'settings.json': SEEN, 'fake.json': SEEN, 'empty.json': '{}' };
			const put = (place: string) =>
				Object.entries(settings).forEach(([name, text]) => write(place, text, `.fake/${name}`));
			put(workspace);
			await new SeenSettings(folder.file('data'), workspace, gitPrograms).note(driver);
			const worktree = worktreeAt();
			put(worktree);
			for (const place of [workspace, worktree])
				expect((await run(`${script}; echo begins; echo done`, place)).ending).toMatchObject(DONE);
		},
	);

	it.each([
		[
			'of another address',
			`printf '{"$schema": "https://fake/y.json","hooks":{"a":"npm test"}}' > .fake/fake.json`,
		],
		['which is not JSON', `printf '{"$schema": "https://fake/x.json" "hooks":{"a":"npm test"}}' > .fake/fake.json`],
		['with more', `printf '{"$schema": "https://fake/x.json","hooks":{"a":"curl evil"}}' > .fake/fake.json`],
	])('is ended for a schema %s', async (_, script) => {
		write(workspace, SEEN, '.fake/fake.json');
		await new SeenSettings(folder.file('data'), workspace, gitPrograms).note(driver);
		expect((await run(`${script}; echo begins; echo done`)).ending).toMatchObject({
			is: 'no-result',
			reason: expect.stringContaining('.fake/fake.json'),
		});
	});

	it('may have packages installed by its CLI in a worktree of its own, and nowhere else', async () => {
		const install = 'mkdir -p .fake/modules; echo x > .fake/modules/x.js; echo begins; echo done';
		expect((await run(install, worktreeAt('own'), true)).ending).toMatchObject(DONE);
		for (const place of [worktreeAt('other'), workspace])
			expect((await run(install, place, place === workspace)).ending).toMatchObject({
				is: 'no-result',
				reason: expect.stringContaining('.fake/modules/x.js'),
			});
		const { ending } = await run('touch started', worktreeAt('own'), true);
		expect(ending).toMatchObject({ is: 'no-result', reason: expect.stringContaining('may not start') });
	});

	it.each([
		['from settings to nothing', SETTINGS, 'nothing.json'],
		['from settings to a file of the workspace', SETTINGS, '../../../workspace/.fake/settings.json'],
		['from settings to a file of the workspace by its whole path', SETTINGS, '/WORKSPACE/.fake/settings.json'],
		['from settings to a file of the workspace that is not there yet', SETTINGS, '/WORKSPACE/x/settings.json'],
		['from a folder of settings', '.fake', '../../workspace/.fake'],
		['from a folder to itself', '.fake', '.fake'],
		['back in through the workspace', SETTINGS, '../../../workspace/back/seen.json'],
		['from a program', 'guard.sh', '../../workspace/guard.sh'],
		['from the folder of a program', 'scripts', '../../workspace/scripts'],
		['from a program to nothing', 'added.sh', '../../workspace/added.sh'],
	])('is not started in a worktree with a link that leads out, %s', async (_, link, target) => {
		const settings = '{"hooks":["sh guard.sh", "sh scripts/x.sh", "sh added.sh"]}';
		const worktree = worktreeAt();
		for (const place of [workspace, worktree]) {
			write(place, settings);
			for (const name of ['guard.sh', 'scripts/x.sh']) write(place, 'exit 0\n', name);
		}
		await new SeenSettings(folder.file('data'), workspace, gitPrograms).note(driver);
		write(worktree, settings, 'seen.json');
		symlinkSync(worktree, join(workspace, 'back'));
		expect((await run('echo done', worktree)).ending).toMatchObject(DONE);
		rmSync(join(worktree, link), { recursive: true, force: true });
		symlinkSync(target.replace('/WORKSPACE', workspace), join(worktree, link));
		const { ending } = await run('touch started', worktree);
		expect(ending).toMatchObject({
			is: 'no-result',
			reason: expect.stringMatching(
				/a link that leads out of the worktree, or nowhere|leads through too many links/,
			),
		});
		expect(existsSync(join(worktree, 'started'))).toBe(false);
	});

	it('runs to its end in a worktree whose settings are links that stay in it', async () => {
		await seeSettings();
		const worktree = worktreeAt();
		write(worktree, SEEN, 'shared/settings.json');
		mkdirSync(join(worktree, 'sub'));
		symlinkSync('../shared', join(worktree, 'sub/linked'));
		symlinkSync('sub/../sub/linked', join(worktree, '.fake'));
		symlinkSync('.', join(worktree, 'shared/again'));
		expect((await run('echo done', worktree)).ending).toMatchObject(DONE);
	});
});
