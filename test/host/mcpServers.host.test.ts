import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as vscode from 'vscode';
import { SETTINGS } from '../../src/ui/contributions.ts';
import { mcpServers } from '../../src/ui/mcpServers.ts';

const nancy = () => vscode.extensions.getExtension('nancy.nancy')!;
const set = (value: 'on' | undefined) =>
	vscode.workspace.getConfiguration().update(SETTINGS.mcpServer, value, vscode.ConfigurationTarget.Global);

describe('the server for VS Code’s chat', () => {
	const folder = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
	const root = join(folder, '.nancy');
	const hadRoot = existsSync(root);

	before(() => void mkdirSync(root, { recursive: true }));
	after(async () => {
		await set(undefined);
		if (!hadRoot) rmSync(root, { recursive: true });
	});

	const servers = () => mcpServers(nancy().extensionPath, '1.2.3');

	it('is offered only if the user wants it', async () => {
		assert.deepEqual(servers(), []);
		await set('on');
		assert.deepEqual(
			servers().map(({ label, cwd, version }) => ({ label, cwd: cwd?.fsPath, version })),
			[{ label: 'Nancy', cwd: folder, version: '1.2.3' }],
		);
	});

	it('answers as it is offered, and takes its caller for an agent', async () => {
		await set('on');
		const [server] = servers();
		assert.ok(server);
		const env: NodeJS.ProcessEnv = { ...process.env };
		for (const [name, value] of Object.entries(server.env)) {
			if (value === null) delete env[name];
			else env[name] = String(value);
		}
		const child = spawn(server.command, server.args, { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] });
		const call = (id: number, method: string, params: object) =>
			child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
		const written = text(child.stdout);
		call(1, 'tools/list', {});
		// A person would get their own inbox.
		call(2, 'tools/call', { name: 'get_feedback', arguments: {} });
		child.stdin.end();
		const answers = (await written).trim().split('\n');
		assert.match(answers.find(line => line.includes('"id":1')) ?? '', /start_delegate/);
		assert.match(answers.find(line => line.includes('"id":2')) ?? '', /"isError":true/);
	});
});
