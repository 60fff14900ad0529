import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
	cpSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataFolder } from '../../../src/base/folders.ts';
import { choosePlugin, withdrawPlugin } from '../../../src/core/sessions/pluginChoice.ts';
import { PluginSessions, sweepPluginSessions } from '../../../src/core/deployment/pluginSessions.ts';
import { SPOOL_LIMITS } from '../../../src/core/traffic/spoolBound.ts';
import { noteHooksChoice } from '../../../src/core/workspace/hooksChoice.ts';
import type { Workspace } from '../../../src/core/workspace/workspace.ts';
import { DeploymentRecords } from '../../../src/core/deployment/records.ts';
import { pluginFiles } from '../../../src/drivers/claude-code/plugin.ts';
import { claudeCode } from '../../../src/drivers/claude-code/driver.ts';
import type { Deployment } from '../../../src/protocol/deployment.ts';
import { SessionId } from '../../../src/protocol/names.ts';
import { address, hookedWorker } from '../../support/hookedWorker.ts';
import { BY_USER, messageContent } from '../../support/messageContent.ts';
import { programs, repository } from '../../support/programs.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

// The plugin's own lines, run as the CLI runs them: its environment is in docs/agents/claude-code.md.

const SILENT = { status: 0, stdout: '', stderr: '' };

let session: SessionId;
let folder: TempFolder;
let pluginData: TempFolder;
let workspace: Workspace;
let plugin: string;

beforeEach(async () => {
	session = SessionId.parse(randomUUID());
	folder = tempFolder('nancy plugin ');
	pluginData = tempFolder('nancy plugin data ');
	({ workspace } = await hookedWorker(folder.path, { agent: claudeCode.id, session }));
	await choosePlugin(workspace.own);
	plugin = join((await programs()).plugin, 'nancy');
});
afterEach(() => Promise.all([folder.remove(), pluginData.remove()]));

interface Hooks {
	hooks: Record<string, { hooks: { command: string }[] }[]>;
}

interface Given {
	env?: Record<string, string>;
	more?: object;
	input?: string;
}

function hook(event: string, { env = {}, more = {}, input }: Given = {}) {
	const { hooks } = JSON.parse(pluginFiles('1.0.0')['nancy/hooks/hooks.json'] ?? '') as Hooks;
	const line = hooks[event]?.[0]?.hooks[0]?.command ?? '';
	const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
		input: input ?? JSON.stringify({ session_id: session, hook_event_name: event, cwd: folder.path, ...more }),
		encoding: 'utf8',
		env: {
			PATH: process.env['PATH'],
			HOME: pluginData.path,
			XDG_DATA_HOME: process.env['XDG_DATA_HOME'],
			CLAUDE_PLUGIN_ROOT: plugin,
			CLAUDE_PLUGIN_DATA: pluginData.path,
			CLAUDE_PROJECT_DIR: folder.path,
			CLAUDE_CODE_SESSION_ID: session,
			CLAUDE_PID: `${process.pid}`,
			...env,
		},
	});
	return { status, stdout, stderr };
}
const start = (options: Given = {}) => hook('SessionStart', { more: { source: 'startup' }, ...options });
const stop = () => hook('Stop', { more: { stop_hook_active: false } });
const spooled = () => readdirSync(workspace.paths.spool).map(name => name.split('~')[1]);
function emptySpool() {
	rmSync(workspace.paths.spool, { recursive: true });
	mkdirSync(workspace.paths.spool);
}
const own = () => new PluginSessions(workspace.own);

/** Claude Code's entries in the folder's own settings, as Set Up notes them before it writes them. */
const deployed: Deployment = {
	driver: claudeCode.id,
	scope: 'workspace',
	hookVersion: '0.0.0',
	events: [],
	deployedAt: new Date(0).toISOString(),
	files: [{ file: '.claude/settings.local.json', entries: [] }],
	ownFiles: [],
	launchFiles: [],
	skills: [],
	folders: [],
};
const deploy = () =>
	new DeploymentRecords(workspace, dataFolder()).change(known => ({ ...known, deployments: [deployed] }));

describe('the hooks of the plugin', () => {
	it('report and deliver in a folder that Nancy knows', async () => {
		expect(start().stdout).toContain('watchPaths');
		await workspace.send(address, messageContent('Use plan B.', { kind: 'feedback' }), BY_USER);
		expect(stop()).toMatchObject({ status: 0, stdout: expect.stringContaining('Use plan B.') });
		expect(await own().lastBegun(claudeCode.id)).toBeInstanceOf(Date);
		expect(spooled()).toContain('Stop');
	});

	it('do nothing for a session whose start they have not seen', () => {
		expect(stop()).toEqual(SILENT);
		expect(spooled()).toEqual([]);
	});

	it('do nothing where no person wants that, whoever brings a .nancy, and from the moment on in which that ends', async () => {
		start();
		emptySpool();
		expect(await withdrawPlugin(workspace.own)).toBe(true);
		expect(stop()).toEqual(SILENT);
		expect(start()).toEqual(SILENT);
		expect(stop()).toEqual(SILENT);
		rmSync(workspace.own.folder, { recursive: true });
		expect(start()).toEqual(SILENT);
		expect(spooled()).toEqual([]);
		expect(existsSync(workspace.own.folder)).toBe(false);
	});

	it('leave a spool as it is where no person wants that, however full it is, and whatever comes', async () => {
		await withdrawPlugin(workspace.own);
		const event = join(workspace.paths.spool, 'claude-code~Stop~1-0.json');
		writeFileSync(event, '');
		truncateSync(event, SPOOL_LIMITS.bytes + 1);
		expect(start()).toEqual(SILENT);
		expect(start({ input: 'no event' })).toEqual(SILENT);
		expect(spooled()).toEqual(['Stop']);
	});

	it('spool nothing where no person wants that and the program is missing', async () => {
		await withdrawPlugin(workspace.own);
		const data = folder.file('data');
		const runtime = join(data, 'nancy', 'runtime', 'damaged');
		mkdirSync(join(runtime, 'plugin'), { recursive: true });
		for (const name of ['nancy-hook', 'due']) cpSync(join(repository, 'hooks', name), join(runtime, name));
		symlinkSync(join(runtime, 'plugin'), join(data, 'nancy', 'plugin'));
		expect(start({ env: { XDG_DATA_HOME: data } }).stdout).toContain('not installed');
		expect(spooled()).toEqual([]);
	});

	it('do nothing where there is no .nancy', () => {
		rmSync(workspace.paths.root, { recursive: true });
		expect(start()).toEqual(SILENT);
		expect(existsSync(workspace.paths.root)).toBe(false);
	});

	it('do nothing where the settings of the folder call Nancy, from the moment on in which a deployment notes it', async () => {
		start();
		emptySpool();
		await deploy();
		expect(stop()).toEqual(SILENT);
		expect(start()).toEqual(SILENT);
		expect(stop()).toEqual(SILENT);
		expect(spooled()).toEqual([]);
	});

	it.each<[string, () => unknown, Record<string, string>]>([
		['a person has switched hooks off', hooksOff, {}],
		['the folder is a linked worktree, for the main checkout’s hooks run there too', linkedWorktree, {}],
		['the agent was started without', () => undefined, { NANCY_HOOKS: 'off' }],
		['Copilot CLI runs them', () => undefined, { COPILOT_PROJECT_DIR: '/', COPILOT_PLUGIN_ROOT: '/' }],
		['the plugin was removed under a session', () => undefined, { CLAUDE_PLUGIN_ROOT: '/nowhere' }],
	])('do nothing where %s', async (_, prepare, env) => {
		await prepare();
		expect(start({ env })).toEqual(SILENT);
		expect(spooled()).toEqual([]);
	});

	function linkedWorktree() {
		const main = folder.file('main');
		const git = (...args: string[]) =>
			execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { encoding: 'utf8' });
		git('init', '--quiet', main);
		git('-C', main, 'commit', '--quiet', '--allow-empty', '-m', 'first');
		const linked = folder.file('linked');
		git('-C', main, 'worktree', 'add', '--quiet', linked);
		renameSync(join(linked, '.git'), folder.file('.git'));
		expect(git('-C', folder.path, 'rev-parse', '--git-common-dir').trim()).toBe(join(main, '.git'));
	}

	async function hooksOff() {
		await workspace.updateConfig(config => ({ ...config, hooks: 'off' }));
		await noteHooksChoice(workspace, 'off');
	}

	it('say once how to get Nancy’s programs where they are not installed', () => {
		const env = { XDG_DATA_HOME: folder.file('none') };
		expect(JSON.parse(start({ env }).stdout)).toEqual({ systemMessage: expect.stringContaining('not installed') });
		expect(start({ env })).toEqual(SILENT);
		expect(hook('Stop', { env })).toEqual(SILENT);
		expect(start({ env: { ...env, CLAUDE_PLUGIN_DATA: '' } })).toEqual(SILENT);
	});
});

it('the server of the plugin is the command of the runtime', () => {
	const { mcpServers } = JSON.parse(readFileSync(join(plugin, '.mcp.json'), 'utf8'));
	const { command, args } = mcpServers.nancy;
	const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`;
	const env = { PATH: process.env['PATH'], XDG_DATA_HOME: process.env['XDG_DATA_HOME'] };
	const { stdout } = spawnSync(command, args, { input, encoding: 'utf8', env, cwd: folder.path });
	expect(stdout).toContain('get_feedback');
	const none = { ...env, XDG_DATA_HOME: folder.path };
	expect(spawnSync(command, args, { input, encoding: 'utf8', env: none })).toMatchObject(SILENT);
});

it('the server of the plugin runs nothing that a repository names by a relative data folder', () => {
	const { mcpServers } = JSON.parse(readFileSync(join(plugin, '.mcp.json'), 'utf8'));
	const { command, args } = mcpServers.nancy;
	for (const data of ['data', '']) {
		const place = folder.file(join(data, 'nancy/plugin/nancy'));
		mkdirSync(place, { recursive: true });
		writeFileSync(join(place, 'door'), 'echo ran');
	}
	const env = { PATH: process.env['PATH'], HOME: '.' };
	for (const data of ['data', '.', ''])
		expect(
			spawnSync(command, args, { encoding: 'utf8', env: { ...env, XDG_DATA_HOME: data }, cwd: folder.path }),
		).toMatchObject(SILENT);
});

it('a session of the plugin is forgotten with the records of its workspace', async () => {
	start();
	await sweepPluginSessions(dataFolder());
	expect(await own().lastBegun(claudeCode.id)).toBeDefined();
	rmSync(workspace.own.folder, { recursive: true });
	await sweepPluginSessions(dataFolder());
	expect(existsSync(join(dirname(workspace.own.folder), '..', 'plugin-sessions', session))).toBe(false);
});
