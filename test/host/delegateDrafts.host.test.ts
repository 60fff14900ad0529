import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { DelegateOrder } from '../../src/ui/delegates/askDelegate.ts';
import { PromptEditors } from '../../src/ui/start/promptEditors.ts';
import { eventually } from '../support/eventually.ts';

/** What drafts look at of it. */
function asOrder(value: Pick<DelegateOrder, 'withSelection'>): DelegateOrder;
function asOrder(value: unknown): unknown {
	return value;
}

const order = asOrder({ withSelection: false });
const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';

function open(): string[] {
	const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
	return tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri.toString()] : []));
}

async function show(document: vscode.TextDocument): Promise<vscode.TextDocument> {
	await vscode.window.showTextDocument(document, { preview: false });
	return document;
}

describe('the editor of a prompt', () => {
	let drafts: PromptEditors<DelegateOrder>;

	before(async () => {
		drafts = new PromptEditors<DelegateOrder>({ title: 'Delegate This', id: 'nancy.delegateThis' });
		await writeFile(join(folder, 'notes.md'), 'Paint it.');
		// The first editor of a window takes its time.
		await ownFile();
	});
	afterEach(async () => {
		// The command closes the active editor. For a moment after a close none is active, and then it does nothing.
		await eventually('all editors are closed', async () => {
			await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
			return open().length === 0;
		});
	});
	after(() => drafts.dispose());

	const ownFile = async () => show(await vscode.workspace.openTextDocument(join(folder, 'notes.md')));
	const ownText = async () =>
		show(await vscode.workspace.openTextDocument({ language: 'markdown', content: 'Paint it.' }));

	async function draft(): Promise<vscode.TextDocument> {
		await drafts.write(order, 'Paint it.');
		const { document } = vscode.window.activeTextEditor ?? {};
		assert.ok(document && drafts.orderOf(document));
		await eventually('its tab is there', () => open().includes(document.uri.toString()));
		return document;
	}

	it('closes, itself alone, once its text has been delegated', async () => {
		await ownFile();
		const unsaved = await ownText();
		const other = await draft();
		const delegated = await draft();
		const before = open();
		assert.equal(before.length, 4);
		await drafts.close(delegated, 'Paint it.');
		await eventually('its tab is gone', () => open().length < before.length);
		assert.deepEqual(
			open(),
			before.filter(uri => uri !== delegated.uri.toString()),
		);
		assert.deepEqual([unsaved.getText(), other.getText()], ['Paint it.', 'Paint it.']);
	});

	it('stays with what was typed meanwhile', async () => {
		const document = await draft();
		await vscode.commands.executeCommand('type', { text: ' Green.' });
		await eventually('it is typed', () => document.getText() === 'Paint it. Green.');
		await drafts.close(document, 'Paint it.');
		assert.equal(document.getText(), 'Paint it. Green.');
		assert.deepEqual(open(), [document.uri.toString()]);
	});

	it('is never a file of the user’s, nor a document that was not opened for a prompt', async () => {
		const documents = [await ownFile(), await ownText()];
		for (const document of documents) await drafts.close(document, 'Paint it.');
		assert.deepEqual(
			documents.map(document => document.getText()),
			['Paint it.', 'Paint it.'],
		);
		assert.deepEqual(
			open(),
			documents.map(({ uri }) => uri.toString()),
		);
	});
});
