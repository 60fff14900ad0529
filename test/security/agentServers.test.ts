import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IN_TERMINAL, IN_WINDOW, type Asker } from '../../src/core/asker/asker.ts';
import { keepProgramsOutOf } from '../../src/base/searchPath.ts';
import { DeploymentRecords } from '../../src/core/deployment/records.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { serverDriver } from '../../src/drivers/acp/server.ts';
import * as operations from '../../src/operations/index.ts';
import { perform, type OperationContext } from '../../src/operations/operation.ts';
import { findAgent } from '../../src/operations/shared/agents.ts';
import { serverId } from '../../src/protocol/agentServer.ts';
import { FIRST_WORKER, TaskName } from '../../src/protocol/names.ts';
import { agentAt, contextOf } from '../support/operationContext.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

const task = TaskName.parse('build');

let folder: TempFolder;
let workspace: Workspace;
let context: OperationContext;

beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.file('project'), folder.file('data'));
	mkdirSync(folder.file('bin'));
	writeFileSync(folder.file('bin', 'mine'), '#!/bin/sh\n', { mode: 0o755 });
	mkdirSync(folder.file('.config', 'nancy'), { recursive: true });
	const [bin, dataFolder] = [folder.file('runtime'), folder.file('data')];
	const runtime = { folder: bin, bin, launcher: join(bin, 'nancy-hook'), skills: '', version: '1.0.0', dataFolder };
	const node = { executable: process.execPath, isElectron: false };
	context = contextOf(folder, workspace, {
		installRuntime: () => Promise.resolve({ ...runtime, isRepaired: false, node }),
	});
	await workspace.createTask(taskRecord(task, serverId('mine')));
});
afterEach(() => folder.remove());

const set = (agentServers: unknown) =>
	writeFileSync(folder.file('.config', 'nancy', 'settings.json'), JSON.stringify({ agentServers }), { mode: 0o600 });
const MINE = { command: 'mine', args: ['acp'], env: { TOKEN: 'very-secret' } };

const orchestrate = async (asker: Asker, more: object = {}) => {
	const input = { task, isNew: false, resume: false, extra: [], hooks: true, agent: 'mine', ...more };
	return perform(await operations.orchestrate(), asker, input, context);
};

describe('an agent that the setting agentServers names', () => {
	it('is started by a person in a terminal of Nancy’s own, with its arguments, and there alone its variables are read', async () => {
		set({ mine: MINE });
		const { command, args, env } = await orchestrate(IN_TERMINAL, { prompt: 'Begin.' });
		expect(command).toBe(folder.file('runtime', 'terminal'));
		expect(args.slice(1)).toEqual([
			'acp-mine',
			folder.file('runtime', 'nancy-hook'),
			workspace.folder,
			folder.file('bin', 'mine'),
			'',
			'',
			'Begin.',
			'acp',
		]);
		expect(env).toMatchObject({ NANCY_AGENT: 'acp-mine' });
		expect(JSON.stringify({ args, env })).not.toContain('very-secret');
		const record = await workspace.worker({ task, worker: FIRST_WORKER });
		expect(record).toMatchObject({ agent: 'acp-mine' });
		expect(record).not.toHaveProperty('agentVersion');
	});

	it('goes on as the choice of the person, by either name', async () => {
		set({ mine: MINE });
		await orchestrate(IN_TERMINAL, { agent: 'acp-mine' });
		const { args } = await orchestrate(IN_TERMINAL, { agent: undefined });
		expect(args).toContain('acp-mine');
	});

	it('leaves no value of its variables in a record', async () => {
		set({ mine: MINE });
		await orchestrate(IN_TERMINAL);
		const files = [workspace.paths.root, folder.file('data')].flatMap(place =>
			readdirSync(place, { recursive: true, withFileTypes: true })
				.filter(each => each.isFile())
				.map(each => readFileSync(join(each.parentPath, each.name), 'utf8')),
		);
		expect(files.length).toBeGreaterThan(0);
		expect(files.join()).not.toContain('very-secret');
	});

	it.each([
		['by its name', { agent: 'mine' }, 'claude-code'],
		['as its own', { agent: undefined }, 'acp-mine'],
	])('is started by no agent, %s, whatever the user has set', async (_what, more, driver) => {
		set({ mine: MINE });
		context = { ...context, readSettings: async () => ({ permissionsFromAgents: { 'acp-mine': 'all' } }) };
		const address = { task, worker: FIRST_WORKER };
		const asker = {
			...agentAt(folder, address),
			driver: serverId('mine'),
			...(driver && { driver: driver as never }),
		};
		await expect(orchestrate(asker, more)).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('an agent may not start mine'),
		});
		expect((await workspace.workers(task)).workers).toEqual([]);
	});

	it('is read from no file of the workspace', async () => {
		set({});
		for (const place of ['.nancy', '.vscode', '.config/nancy']) {
			mkdirSync(join(workspace.folder, place), { recursive: true });
			for (const file of ['settings.json', 'config.json'])
				writeFileSync(
					join(workspace.folder, place, file),
					JSON.stringify({ agentServers: { mine: MINE }, 'nancy.agentServers': { mine: MINE } }),
				);
		}
		await expect(orchestrate(IN_TERMINAL)).rejects.toMatchObject({ code: 'bad-usage' });
	});

	it('is not looked for in a settings file inside the workspace, where its driver is known already', async () => {
		set({ mine: MINE });
		const inside = join(workspace.folder, 'config');
		mkdirSync(join(inside, 'nancy'), { recursive: true });
		writeFileSync(join(inside, 'nancy', 'settings.json'), JSON.stringify({ agentServers: { mine: MINE } }), {
			mode: 0o600,
		});
		const place = { workspace, env: { ...context.env, XDG_CONFIG_HOME: inside } };
		await expect(findAgent(serverDriver('mine'), place, 'person')).rejects.toMatchObject({ code: 'not-trusted' });
	});

	it('is no program below the workspace, which an agent could overwrite, where a window looks', async () => {
		const planted = join(workspace.folder, 'bin');
		mkdirSync(planted, { recursive: true });
		writeFileSync(join(planted, 'planted'), '#!/bin/sh\n', { mode: 0o755 });
		keepProgramsOutOf([workspace.folder]);
		set({ mine: { command: 'planted' } });
		context = { ...context, env: { ...context.env, PATH: `${planted}:${context.env['PATH']}` } };
		await expect(orchestrate(IN_WINDOW)).rejects.toMatchObject({
			code: 'no-agent',
			message: expect.stringContaining('is in a workspace, where agents could overwrite it'),
		});
	});

	it.each([
		[
			'its program is missing',
			{ command: 'elsewhere' },
			{},
			'no-agent',
			/no program "elsewhere" on the PATH.*agentServers\.mine\.command/,
		],
		['its entry is wrong', { command: 3 }, {}, 'bad-usage', /"agentServers\.mine\.command" in .*settings\.json/],
		['nothing would tell what it does', MINE, { hooks: false }, 'wrong-state', /cannot be started without hooks/],
		['a model is named', MINE, { model: 'big' }, 'bad-usage', /takes no model from Nancy/],
		[
			'permissions are named',
			MINE,
			{ permissions: 'plan' },
			'bad-usage',
			/has no permissions "plan" in a terminal/,
		],
	])('is not started, and nothing is made, if %s', async (_what, server, more, code, words) => {
		set({ mine: server });
		const other = { task: TaskName.parse('new'), title: 'New' };
		await expect(orchestrate(IN_TERMINAL, { ...other, ...more })).rejects.toMatchObject({
			code,
			message: expect.stringMatching(words),
		});
		expect((await workspace.tasks()).tasks.map(({ name }) => name)).toEqual([task]);
	});

	it('keeps no other agent back if its entry is wrong, or the whole setting is', async () => {
		writeFileSync(folder.file('bin', 'claude'), '#!/bin/sh\necho 999.0.0\n', { mode: 0o755 });
		for (const setting of [{ mine: 3 }, 'nonsense']) {
			set(setting);
			expect(await orchestrate(IN_TERMINAL, { agent: 'claude-code', hooks: false })).toMatchObject({
				command: folder.file('bin', 'claude'),
			});
		}
	});

	it.each(['opencode', 'claude-code', 'acp-mine'])('cannot have the name %s, which means another one', async name => {
		set({ mine: MINE, [name]: MINE });
		const { agents } = await perform(await operations.listAgents(), IN_WINDOW, {}, context);
		expect(agents.slice(-2)).toMatchObject([
			{ id: 'acp-mine', found: {} },
			{ displayName: name, obstacle: 'broken', problem: expect.anything() },
		]);
		expect(String(agents.at(-1)?.problem)).toMatch(/has the name of another agent.*use another name/);
		await expect(orchestrate(IN_TERMINAL, { agent: `acp-${name}` })).rejects.toMatchObject({
			code: 'bad-usage',
			message: expect.stringContaining('use another name'),
		});
	});

	it('is listed with the others, and Doctor tells of it: where it is, what is missing, and what is wrong', async () => {
		set({ mine: MINE, gone: { command: 'elsewhere' }, 'Not A Name': MINE });
		const { agents } = await perform(await operations.listAgents(), IN_WINDOW, {}, context);
		expect(agents.slice(-3)).toMatchObject([
			{
				id: 'acp-mine',
				displayName: 'mine',
				found: { version: '' },
				permissionModes: [
					{ id: 'configured', width: 0 },
					{ id: 'ask-me', width: 0, asks: true },
				],
				isDelegateAlone: true,
				takesImages: false,
			},
			{ id: 'acp-gone', obstacle: 'missing' },
			{ displayName: 'Not A Name', obstacle: 'broken' },
		]);
		expect(agents.at(-3)?.lacks).toContain('steer');
		expect(JSON.stringify(agents)).not.toContain('very-secret');
		const { checks, healthy } = await perform(await operations.doctor(), IN_TERMINAL, { fix: false }, context);
		const said = checks.map(({ level, text }) => `${level} ${String(text)}`);
		expect(said).toContain(`ok mine at ${folder.file('bin', 'mine')}`);
		expect(said.filter(each => each.startsWith('note gone: there is no program "elsewhere"'))).toHaveLength(1);
		expect(said.filter(each => /^problem "agentServers" in .* has the name "Not A Name"/.test(each))).toHaveLength(
			1,
		);
		expect(healthy).toBe(false);
	});

	it('leaves nothing that Clean Up would not take back', async () => {
		set({ mine: MINE });
		const cleanUp = async () => perform(await operations.cleanUp(), IN_TERMINAL, {}, context);
		const records = new DeploymentRecords(workspace, folder.file('data'));
		await orchestrate(IN_TERMINAL);
		expect(await records.all()).toHaveLength(1);
		await cleanUp();
		expect(await records.all()).toEqual([]);
	});

	it('is looked for in no folder that is not trusted', async () => {
		set({ mine: MINE });
		const { agents } = await perform(
			await operations.listAgents(),
			IN_WINDOW,
			{},
			{ ...context, isTrusted: false },
		);
		expect(agents.at(-1)).toMatchObject({ id: 'acp-mine', obstacle: 'missing' });
	});
});
