import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { dataFolder } from '../../src/base/folders.ts';
import { identify } from '../../src/base/liveness.ts';
import { deploy } from '../../src/core/deployment/deploy.ts';
import { DeploymentKeeper } from '../../src/core/deployment/keeper.ts';
import type { Overview } from '../../src/core/live/overview.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { drivers } from '../../src/drivers/index.ts';
import { WindowOperations } from '../../src/main/windowOperations.ts';
import { FIRST_WORKER, TaskName } from '../../src/protocol/names.ts';
import type { WorkerRecord } from '../../src/protocol/records.ts';
import { agentSettings } from '../../src/ui/contributions.ts';
import { evilLines, forgeDeployment } from '../support/forgedDeployment.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const SETTINGS = '.claude/settings.local.json';
const MINE = '{\n\t"model": "opus", // mine\n}\n';
const NEVER = 2_000_000_000;
const task = TaskName.parse('fix');

/** What a window does by itself while a worker runs, with its own request and its own data folder. */
describe('the window’s keeper of a deployment', () => {
	const temp = mkdtempSync(join(tmpdir(), 'nancy-keeper-'));
	const dataBefore = process.env['XDG_DATA_HOME'];
	const configuration = () => vscode.workspace.getConfiguration();
	const { path } = agentSettings(claudeCode.id);

	before(async () => {
		process.env['XDG_DATA_HOME'] = join(temp, 'data');
		const program = join(temp, 'agent');
		writeFileSync(program, '#!/bin/sh\necho "2.1.329 (Claude Code)"\n', { mode: 0o755 });
		await configuration().update(path, program, vscode.ConfigurationTarget.Global);
	});
	after(async () => {
		await configuration().update(path, undefined, vscode.ConfigurationTarget.Global);
		if (dataBefore === undefined) delete process.env['XDG_DATA_HOME'];
		else process.env['XDG_DATA_HOME'] = dataBefore;
		rmSync(temp, { recursive: true, force: true });
	});

	for (const driver of [claudeCode.id, 'x'])
		it(`puts its hooks back, and nothing that a forged record and original of ${driver} bring`, async () => {
			const workspace = new Workspace(join(temp, `project-${driver}`));
			const settings = join(workspace.folder, SETTINGS);
			mkdirSync(join(workspace.folder, '.claude'), { recursive: true });
			writeFileSync(settings, MINE);
			const extension = vscode.extensions.getExtension('nancy.nancy')?.extensionPath ?? '';
			const operations = new WindowOperations(extension, '0.0.0', () => undefined);
			const folder = { ...unusedFolder(workspace), overview };
			const request = await operations.deployRequest(folder, claudeCode);
			assert.ok(request);
			await deploy(workspace, claudeCode, { ...request, scope: 'workspace' });
			assert.match(readFileSync(settings, 'utf8'), /nancy-hook/);
			writeFileSync(settings, MINE);
			forgeDeployment(workspace.folder, SETTINGS, { driver, hookVersion: '0.0.1' });

			const failed: unknown[] = [];
			const keeper = new DeploymentKeeper(
				workspace,
				drivers,
				dataFolder(),
				each => operations.deployRequest(folder, each),
				NEVER,
			);
			keeper.onDidFail(error => failed.push(error));
			await keeper.look();
			keeper.dispose();
			const after = readFileSync(settings, 'utf8');
			assert.deepEqual(failed, []);
			assert.match(after, /nancy-hook/);
			assert.match(after, /"model": "opus"[^]*\/\/ mine/);
			assert.deepEqual(evilLines(after), []);
		});
});

function overview(): Overview {
	const startedAt = new Date().toISOString();
	const record: WorkerRecord = {
		version: 1,
		task,
		name: FIRST_WORKER,
		agent: claudeCode.id,
		sessions: [],
		startedAt,
		process: identify(process.pid),
	};
	const state = { phase: 'idle', source: '', at: startedAt, since: startedAt } as const;
	return {
		tasks: [{ record: taskRecord(task, claudeCode.id), workers: [{ record, state, queued: 0 }], unread: 0 }],
		problems: [],
	};
}
