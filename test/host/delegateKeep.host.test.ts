import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { NancyError } from '../../src/base/errors.ts';
import type { DelegateRequest } from '../../src/core/delegates/queueDelegate.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { DelegateId } from '../../src/protocol/delegate.ts';
import { draftOf, type DelegateOrder } from '../../src/ui/delegates/askDelegate.ts';
import { PromptEditors } from '../../src/ui/start/promptEditors.ts';
import { StartMemory } from '../../src/ui/start/startMemory.ts';
import type { DelegateOperations } from '../../src/ui/ports.ts';
import { startOrKeep, type DelegateStart } from '../../src/ui/delegates/startDelegates.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { mementoOf } from '../support/memento.ts';
import { unusedFolder } from '../support/unusedFolder.ts';
import { eventually } from '../support/eventually.ts';

const unused = () => {
	throw new Error('starting does nothing of this');
};

const folder = unusedFolder(new Workspace('/project'));

const start: DelegateStart = {
	order: { folder, parent: undefined, withSelection: true },
	requests: [
		{
			prompt: 'Paint it.\nGreen.',
			agent: fakeDriver.id,
			model: 'large',
			permissions: 'default',
			folder: '/project',
			group: 'g',
		},
	],
	choice: {
		agents: [fakeDriver.id],
		place: 'worktree',
		permissions: {},
		models: 'large',
		within: 'packages/a',
		wallMinutes: 5,
		idleMinutes: 10,
	},
	agents: [],
};

function failing(): DelegateOperations {
	return {
		isolation: unused,
		start: () => Promise.reject(new NancyError('busy', 'the disk is full')),
		repeat: unused,
		stop: unused,
		resume: unused,
		delete: unused,
	};
}

describe('a delegate that could not be started', () => {
	let drafts: PromptEditors<DelegateOrder>;
	let memory: StartMemory;
	beforeEach(async () => {
		memory = new StartMemory(mementoOf(), mementoOf());
		await memory.keepDraft(draftOf(start.order), 'Paint it.');
		drafts = new PromptEditors<DelegateOrder>({ title: 'Delegate This', id: 'nancy.delegateThis' });
	});
	afterEach(async () => {
		drafts.dispose();
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
		await vscode.commands.executeCommand('workbench.action.closeAllEditors');
	});

	it('leaves its prompt in an editor alone, with what was chosen, and says why', async () => {
		await assert.rejects(startOrKeep({ delegates: failing(), drafts, memory }, start), {
			message: 'The disk is full. “Delegate This” in the prompt’s editor tries that again.',
		});
		const document = vscode.window.activeTextEditor?.document;
		assert.ok(document?.isUntitled);
		assert.equal(document.getText(), 'Paint it.\nGreen.');
		assert.deepEqual(drafts.orderOf(document), {
			...start.order,
			withSelection: false,
			again: { ...start.choice, group: 'g' },
		});
		assert.equal(memory.draft(draftOf(start.order)), '');
	});

	it('leaves it in the editor where it was written, with what was chosen, and opens no second one', async () => {
		await drafts.write({ ...start.order, withSelection: false }, 'Paint it.\nGreen.');
		// VS Code tells of the active editor on its own.
		const document = await eventually('the editor', () => {
			const shown = vscode.window.activeTextEditor?.document;
			return shown?.getText() === 'Paint it.\nGreen.' && shown;
		});
		await assert.rejects(
			startOrKeep({ delegates: failing(), drafts, memory }, { ...start, document }),
			/The disk is full\./,
		);
		assert.equal(vscode.window.activeTextEditor?.document, document);
		assert.equal(document.getText(), 'Paint it.\nGreen.');
		assert.equal(drafts.orderOf(document)?.again?.within, 'packages/a');
	});

	it('opens no editor for a prompt that a file of the user’s has', async () => {
		const document = await vscode.workspace.openTextDocument({
			language: 'markdown',
			content: 'Paint it.\nGreen.',
		});
		await vscode.window.showTextDocument(document);
		const before = vscode.workspace.textDocuments.length;
		await assert.rejects(startOrKeep({ delegates: failing(), drafts, memory }, { ...start, document }), {
			message: 'the disk is full',
		});
		assert.equal(vscode.workspace.textDocuments.length, before);
	});

	it('is nothing when it was started', async () => {
		const asked: DelegateRequest[] = [];
		const delegates: DelegateOperations = {
			...failing(),
			start: (_folder, request) => {
				asked.push(request);
				return Promise.resolve(DelegateId.parse('a'));
			},
		};
		const before = vscode.workspace.textDocuments.length;
		await startOrKeep({ delegates, drafts, memory }, start);
		assert.deepEqual(asked, start.requests);
		assert.equal(vscode.workspace.textDocuments.length, before);
		assert.equal(memory.draft(draftOf(start.order)), '');
	});
});
