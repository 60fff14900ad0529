import { mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IN_TERMINAL, type Asker } from '../../src/core/asker/asker.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { allowsAll, headlessOf } from '../../src/core/driver/headlessOf.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { serverDriver } from '../../src/drivers/acp/server.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { kiro } from '../../src/drivers/kiro/driver.ts';
import * as operations from '../../src/operations/index.ts';
import { perform, type OperationContext } from '../../src/operations/operation.ts';
import { serverId } from '../../src/protocol/agentServer.ts';
import { ProjectName } from '../../src/protocol/memoryNames.ts';
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
	for (const [name, says] of [
		['mine', ''],
		['kiro-cli', 'echo kiro-cli 2.16.0\n'],
	] as const)
		writeFileSync(folder.file('bin', name), `#!/bin/sh\n${says}`, { mode: 0o755 });
	mkdirSync(folder.file('.config', 'nancy'), { recursive: true });
	const agentServers = { mine: { command: 'mine', args: ['acp'] } };
	writeFileSync(folder.file('.config', 'nancy', 'settings.json'), JSON.stringify({ agentServers }), { mode: 0o600 });
	context = contextOf(folder, workspace);
	await workspace.createTask(taskRecord(task, serverId('mine')));
});
afterEach(() => folder.remove());

describe('a delegate of an agent that the setting agentServers names', () => {
	const queued = async () => (await new Delegates(workspace).list()).delegates;
	const delegate = async (asker: Asker, more: object = {}) =>
		perform(await operations.delegate(), asker, { prompt: 'Begin.', agent: 'mine', ...more }, context);

	it.each(['mine', 'kiro'])('is started by no agent, whatever the user has set: %s', async agent => {
		const permissionsFromAgents = { 'acp-mine': 'ask-me', kiro: 'ask-me' };
		context = { ...context, readSettings: async () => ({ permissionsFromAgents }) };
		const asker = { ...agentAt(folder, { task, worker: FIRST_WORKER }), driver: serverId('mine') };
		await expect(delegate(asker, { agent })).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringMatching(/an agent may not start (?:mine|Kiro)/),
		});
		expect(await queued()).toEqual([]);
	});

	it.each([
		['a model is named', { model: 'big' }, {}, 'bad-usage', /takes no model from Nancy/],
		['it is to work in a worktree', { worktree: { withChanges: false } }, {}, 'bad-usage', /own folder alone/],
		['it has a budget', { budget: { tokens: 1000 } }, {}, 'bad-usage', /does not tell tokens/],
		['it is to have permissions of another', { permissions: 'all' }, {}, 'bad-usage', /it has configured.* ask-me/],
		['nothing would tell what it does', {}, { hooks: 'off' as const }, 'wrong-state', /without hooks/],
	])('is not queued if %s', async (_what, more, settings, code, words) => {
		context = { ...context, settings: { ...context.settings, ...settings } };
		await expect(delegate(IN_TERMINAL, more)).rejects.toMatchObject({
			code,
			message: expect.stringMatching(words),
		});
		expect(await queued()).toEqual([]);
	});

	it('is the only way without a terminal: no run, and no task of a project', async () => {
		const alone = { code: 'bad-usage', message: expect.stringContaining('as a delegate alone') };
		const running = { ...context, show: () => undefined, signal: new AbortController().signal };
		const run = { prompt: 'Begin.', folder: workspace.folder, agent: 'mine', extra: [] };
		await expect(perform(await operations.run(), IN_TERMINAL, run, running)).rejects.toMatchObject(alone);
		const next = { project: ProjectName.parse('birds'), prompt: 'Begin.', agent: 'mine', since: 0 };
		await expect(
			perform(await operations.projectTask(), IN_TERMINAL, { ...next, mode: 'fresh' }, running),
		).rejects.toMatchObject(alone);
	});

	it('is given nothing by Nancy in any of its modes, and so counts nowhere as one that may do everything', () => {
		for (const driver of [serverDriver('mine'), kiro])
			for (const { id } of headlessOf(driver).permissionModes) expect(allowsAll(driver, id)).toBe(false);
		expect(allowsAll(claudeCode, headlessOf(claudeCode).permissionModes.at(-1)?.id)).toBe(true);
	});
});
