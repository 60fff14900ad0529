import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { COMMANDS, SETTINGS, VIEWS } from '../../src/ui/contributions.ts';
import { agentArguments } from '../../src/ui/settings.ts';
import { eventually } from '../support/eventually.ts';

const extension = vscode.extensions.getExtension('nancy.nancy');
const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';

describe('the extension', () => {
	before(() => extension?.activate());

	it('registers every command of its manifest', async () => {
		const registered = new Set(await vscode.commands.getCommands(true));
		assert.deepEqual(
			COMMANDS.filter(command => !registered.has(command)),
			[],
		);
	});

	it('has a command to focus each of its views', async () => {
		const registered = new Set(await vscode.commands.getCommands(true));
		const focus = Object.values(VIEWS).map(view => `${view}.focus`);
		assert.deepEqual(
			focus.filter(command => !registered.has(command)),
			[],
		);
	});

	it('gives every setting a default', () => {
		const settings = vscode.workspace.getConfiguration();
		assert.deepEqual(
			Object.values(SETTINGS).filter(key => settings.get(key) === undefined),
			[],
		);
	});

	it('takes no arguments of an agent of the user’s from a workspace, although VS Code reads a setting that no extension knows', async () => {
		const file = join(folder, '.vscode', 'settings.json');
		const key = 'nancy.agents.acp-mine.arguments';
		await mkdir(join(folder, '.vscode'), { recursive: true });
		await writeFile(file, JSON.stringify({ [key]: ['--planted'] }));
		try {
			await eventually('it is read', () => vscode.workspace.getConfiguration().get(key) !== undefined);
			assert.deepEqual(agentArguments('acp-mine'), []);
		} finally {
			await rm(join(folder, '.vscode'), { recursive: true });
		}
	});

	it('uses no key of VS Code itself outside its own views', async () => {
		const uri = vscode.Uri.parse('vscode://defaultsettings/keybindings.json');
		const defaults = (await vscode.workspace.openTextDocument(uri)).getText();
		const bound = [...defaults.matchAll(/"key": "([^"]+)",\s+"command": "([^"]+)"/g)];
		assert.ok(bound.length > 500, `${bound.length} keys read`);
		// They have keys of lists and editors: for rows and tabs of their own.
		const inViews = ['nancy.deleteDelegate', 'nancy.acceptNote', 'nancy.editNote', 'nancy.rejectNote'];
		const everywhere = (command = '') => command.startsWith('nancy.') && !inViews.includes(command);
		const own = new Set(bound.filter(([, , command]) => everywhere(command)).map(([, key]) => key));
		assert.equal(own.size, 4);
		assert.deepEqual(
			bound
				.filter(([, key, command]) => own.has(key) && !command?.startsWith('nancy.'))
				.map(([, , command]) => command),
			[],
		);
	});

	it('makes nothing in a workspace that nobody asked it to work in', () => {
		assert.equal(existsSync(join(folder, '.nancy')), false);
		assert.equal(existsSync(join(folder, '.claude')), false);
	});

	it('carries out a command on views that were never opened', async () => {
		await vscode.commands.executeCommand('nancy.showArchived');
		await vscode.commands.executeCommand('nancy.hideArchived');
		await vscode.commands.executeCommand('nancy.clearTrafficFilter');
	});

	it('opens all of its views', async () => {
		for (const view of Object.values(VIEWS)) await vscode.commands.executeCommand(`${view}.focus`);
	});

	it('survives a workspace folder full of garbage', async () => {
		const root = join(folder, '.nancy');
		for (const each of ['tasks/../x', 'tasks/bad/workers', 'traffic', 'spool'])
			await mkdir(join(root, each), { recursive: true });
		await writeFile(join(root, 'tasks/bad/task.json'), '{"version":1,');
		await writeFile(join(root, 'tasks/bad/workers/worker.json'), 'null');
		await writeFile(join(root, 'traffic/s.jsonl'), '\u0000\n{}\n');
		await vscode.commands.executeCommand(`${VIEWS.tasks}.focus`);
		await new Promise(resolve => setTimeout(resolve, 500));
		assert.equal(extension?.isActive, true);
		await vscode.commands.executeCommand('nancy.clearTrafficFilter');
	});
});
