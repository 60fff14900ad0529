import { chmodSync, existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configFolder } from '../../../../src/base/folders.ts';
import { UserSettingsFile } from '../../../../src/core/files/userSettings.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

let folder: TempFolder;
let settings: UserSettingsFile;
const PROJECT = '/home/me/project';

beforeEach(() => {
	folder = tempFolder();
	settings = new UserSettingsFile(folder.file('config'));
});
afterEach(() => folder.remove());

function write(value: unknown): void {
	mkdirSync(dirname(settings.file), { recursive: true });
	writeFileSync(settings.file, JSON.stringify(value), { mode: 0o600 });
}

describe('the user’s settings', () => {
	it('are none where there is no file', async () => {
		expect(await settings.forFolder(PROJECT)).toEqual({});
	});

	it('are those of the folder before those of all, and the editor’s before those written by hand', async () => {
		write({
			delegates: { max: 3, worktreeSetUp: 'make all', timeoutMinutes: 5 },
			folders: { [PROJECT]: { worktreeSetUp: 'make' }, '/other': { max: 9 } },
			editor: { delegates: { timeoutMinutes: 7 }, folders: { [PROJECT]: { swarmWorker: true } } },
		});
		expect(await settings.forFolder(PROJECT)).toEqual({
			max: 3,
			worktreeSetUp: 'make',
			timeoutMinutes: 7,
			swarmWorker: true,
		});
		expect(await settings.forFolder('/third')).toMatchObject({ worktreeSetUp: 'make all', max: 3 });
	});

	it('stay behind a link to where the user keeps them', async () => {
		const kept = folder.file('dotfiles.json');
		writeFileSync(kept, '{}', { mode: 0o600 });
		mkdirSync(dirname(settings.file), { recursive: true });
		symlinkSync(kept, settings.file);
		await settings.saveEditor(() => ({ delegates: { max: 4 }, folders: {} }));
		expect(readFileSync(kept, 'utf8')).toContain('"max": 4');
		expect(readlinkSync(settings.file)).toBe(kept);
	});

	it('are those of the nearest folder at or above, also by another way to it', async () => {
		mkdirSync(folder.file('project', 'packages', 'a'), { recursive: true });
		symlinkSync(folder.file('project'), folder.file('link'));
		write({
			folders: {
				[folder.file('project')]: { worktreeSetUp: 'make', max: 2 },
				[`${folder.file('link')}/packages/`]: { worktreeSetUp: 'make packages' },
				[folder.file('project', 'pack')]: { worktreeSetUp: 'no' },
				'.': { worktreeSetUp: 'no' },
			},
		});
		expect(await settings.forFolder(folder.file('link'))).toEqual({ worktreeSetUp: 'make', max: 2 });
		expect(await settings.forFolder(folder.file('project', 'packages', 'a'))).toEqual({
			worktreeSetUp: 'make packages',
		});
	});

	it('are those written by hand for the folder before the editor’s for all, and permissions each by itself', async () => {
		write({
			delegates: { permissionsFromAgents: { heron: 'all', egret: 'plan' } },
			folders: { [PROJECT]: { timeoutMinutes: 90 } },
			editor: { delegates: { timeoutMinutes: 5, permissionsFromAgents: { egret: 'edits' } } },
		});
		expect(await settings.forFolder(PROJECT)).toEqual({
			timeoutMinutes: 90,
			permissionsFromAgents: { heron: 'all', egret: 'edits' },
		});
	});

	it('are for each agent by itself whether Nancy answers it, and by nothing that stands for one folder', async () => {
		write({
			delegates: { answers: { heron: true, egret: false } },
			folders: { [PROJECT]: { answers: { stork: true } } },
			editor: { delegates: { answers: { egret: true } }, folders: { [PROJECT]: { answers: { stork: true } } } },
		});
		expect(await settings.forFolder(PROJECT)).toEqual({ answers: { heron: true, egret: true } });
	});

	it('take no command from what an editor says of a folder: a file there said it', async () => {
		const commands = { worktreeSetUp: 'sh bad.sh', worktreeTearDown: 'sh bad.sh' };
		write({
			editor: {
				delegates: { worktreeSetUp: 'npm ci' },
				folders: { [PROJECT]: { ...commands, swarmWorker: true } },
			},
		});
		expect(await settings.forFolder(PROJECT)).toEqual({ worktreeSetUp: 'npm ci', swarmWorker: true });
	});

	it('take no limit from what an editor says of a folder: an agent there said it', async () => {
		const wider = { max: 200, timeoutMinutes: 1440, idleMinutes: 1440 };
		write({ delegates: { max: 2 }, editor: { delegates: { idleMinutes: 5 }, folders: { [PROJECT]: wider } } });
		expect(await settings.forFolder(PROJECT)).toEqual({ max: 2, idleMinutes: 5 });
	});

	it('leave the number to Nancy where the nearest says 0', async () => {
		write({ delegates: { max: 3 }, editor: { delegates: { max: 0 } } });
		expect(await settings.forFolder(PROJECT)).toEqual({});
	});

	it('are at last what was set last, however its publishing was delayed', async () => {
		write({});
		let mode = 'all';
		const publish = () =>
			settings.saveEditor(() => ({ delegates: { permissionsFromAgents: { heron: mode } }, folders: {} }));
		const first = publish();
		mode = 'plan';
		await Promise.all([first, publish()]);
		expect(await settings.forFolder(PROJECT)).toEqual({ permissionsFromAgents: { heron: 'plan' } });
	});

	it('need no file where an editor has nothing to say', async () => {
		await settings.saveEditor(() => ({ delegates: {}, folders: { [PROJECT]: {} } }));
		expect(existsSync(dirname(settings.file))).toBe(false);
	});

	it('allow agents nothing by what stands for one folder', async () => {
		write({ folders: { [PROJECT]: { permissionsFromAgents: { heron: 'all' } } } });
		expect(await settings.forFolder(PROJECT)).toEqual({});
	});

	it('are refused with the cure where others could have written them', async () => {
		write({ delegates: { worktreeSetUp: 'rm -rf /' } });
		chmodSync(settings.file, 0o666);
		await expect(settings.forFolder(PROJECT)).rejects.toThrow(/others can write .*settings\.json.*chmod 600/);
		chmodSync(settings.file, 0o644);
		expect(await settings.forFolder(PROJECT)).toMatchObject({ worktreeSetUp: 'rm -rf /' });
	});

	it('are refused where they are inside the folder that they are for, but for a home', async () => {
		write({ delegates: { worktreeSetUp: 'make' } });
		await expect(settings.forFolder(folder.path)).rejects.toThrow(/is inside .*XDG_CONFIG_HOME/);
		const atHome = new UserSettingsFile(folder.file('config'), folder.path);
		expect(await atHome.forFolder(folder.path)).toEqual({ worktreeSetUp: 'make' });
	});

	it.each([
		['{', /cannot be read/],
		['{"delegates":{"max":"many"}}', /delegates\.max/],
		['{"version":2}', /version/],
	])('that do not parse are named and left as they are: %s', async (text, error) => {
		write({});
		writeFileSync(settings.file, text);
		await expect(settings.forFolder(PROJECT)).rejects.toThrow(error);
		await expect(settings.saveEditor(() => ({ delegates: { max: 1 }, folders: {} }))).rejects.toThrow(error);
		expect(readFileSync(settings.file, 'utf8')).toBe(text);
	});

	it('take over what an editor says, whole, and keep what was written by hand and what other windows said', async () => {
		write({ delegates: { max: 3, later: true }, mine: 1 });
		await settings.saveEditor(() => ({
			delegates: { max: 5, idleMinutes: 1 },
			folders: { [PROJECT]: { swarmWorker: true } },
		}));
		await settings.saveEditor(() => ({ delegates: { max: 6 }, folders: { '/other': { swarmWorker: false } } }));
		expect(JSON.parse(readFileSync(settings.file, 'utf8'))).toEqual({
			version: 1,
			delegates: { max: 3, later: true },
			folders: {},
			mine: 1,
			editor: {
				delegates: { max: 6 },
				folders: { [PROJECT]: { swarmWorker: true }, '/other': { swarmWorker: false } },
			},
		});
		// A folder that is no longer trusted, or has nothing set any more.
		await settings.saveEditor(() => ({ delegates: {}, folders: { [PROJECT]: {} } }));
		expect(await settings.forFolder(PROJECT)).toEqual({ max: 3 });
		expect(await settings.forFolder('/other')).toEqual({ max: 3, swarmWorker: false });
	});

	it('stand in the configuration folder of each platform', () => {
		expect(configFolder({ HOME: '/h' }, 'linux')).toBe('/h/.config/nancy');
		expect(configFolder({ HOME: '/h', XDG_CONFIG_HOME: '/c' }, 'linux')).toBe('/c/nancy');
		expect(configFolder({ HOME: '/h', XDG_CONFIG_HOME: 'c' }, 'linux')).toBe('/h/.config/nancy');
		expect(configFolder({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Application Support/nancy');
	});

	it('get another machine by name, beside all that stands there, and never the name of another one', async () => {
		await settings.addExecutor('gpu1', { type: 'ssh', host: 'gpu1' });
		expect((await settings.forFolder(PROJECT)).executors).toEqual({ gpu1: { type: 'ssh', host: 'gpu1' } });
		const before = {
			mine: 1,
			delegates: { max: 2, newer: true, executors: { hpc: { type: 'ssh', host: 'login1', max: 3, later: 'x' } } },
			editor: { delegates: { max: 4 }, folders: {} },
		};
		write(before);
		await settings.addExecutor('gpu1', { type: 'ssh', host: 'me@gpu1' });
		const added = { ...before.delegates.executors, gpu1: { type: 'ssh', host: 'me@gpu1' } };
		const after = JSON.parse(readFileSync(settings.file, 'utf8'));
		expect(after).toMatchObject({ ...before, delegates: { ...before.delegates, executors: added } });
		await expect(settings.addExecutor('hpc', { type: 'ssh', host: 'other' })).rejects.toThrow('already');
		expect(JSON.parse(readFileSync(settings.file, 'utf8'))).toEqual(after);
	});

	it('never take a machine from a folder or from an editor’s settings of one', async () => {
		const executors = { evil: { type: 'ssh', host: 'evil' } };
		write({
			folders: { [PROJECT]: { executors } },
			editor: { delegates: {}, folders: { [PROJECT]: { executors } } },
		});
		expect((await settings.forFolder(PROJECT)).executors).toBeUndefined();
	});
});
