import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { chatTools } from '../../src/main/chatTools.ts';
import { WindowOperations } from '../../src/main/windowOperations.ts';
import { FIRST_WORKER, TaskName } from '../../src/protocol/names.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const address = { task: TaskName.parse('fix'), worker: FIRST_WORKER };

function textOf({ content }: vscode.LanguageModelToolResult): string {
	return content.map(part => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

describe('the tools of VS Code’s chat', () => {
	const temp = mkdtempSync(join(tmpdir(), 'nancy-chat-'));
	const dataBefore = process.env['XDG_DATA_HOME'];
	let workspace: Workspace;

	before(async () => {
		process.env['XDG_DATA_HOME'] = join(temp, 'data');
		workspace = new Workspace(join(temp, 'project'));
		await workspace.createTask(taskRecord(address.task, fakeDriver.id));
	});
	after(() => {
		if (dataBefore === undefined) delete process.env['XDG_DATA_HOME'];
		else process.env['XDG_DATA_HOME'] = dataBefore;
		rmSync(temp, { recursive: true, force: true });
	});

	function tools() {
		const operations = new WindowOperations(temp, '0.0.0', () => undefined);
		const nothing = { overview: () => ({ tasks: [], problems: [] }), delegates: () => [] };
		const folder = Object.assign(unusedFolder(workspace), nothing);
		return chatTools({ folders: () => [folder], contextOf: each => operations.contextOf(each) });
	}

	it('are there for models, and a look is answered without a question', async () => {
		const names = vscode.lm.tools.map(({ name }) => name);
		for (const name of ['nancy_status', 'nancy_send', 'nancy_delegate']) assert.ok(names.includes(name), name);

		const options = { input: {}, toolInvocationToken: undefined };
		const status: unknown = JSON.parse(textOf(await vscode.lm.invokeTool('nancy_status', options)));
		assert.ok(status !== null && typeof status === 'object' && 'tasks' in status);
	});

	it('send a message as an agent, never as the user', async () => {
		await tools().invoke('nancy_send', { to: 'fix/worker', text: 'Also add a test.' });

		const { messages } = await workspace.mailbox(address).list(['queued']);
		assert.deepEqual(
			messages.map(({ content, author }) => ({ text: content.text, is: author?.is })),
			[{ text: 'Also add a test.', is: 'agent' }],
		);
	});

	it('show the person all that will be sent, as text alone', () => {
		const { confirmationMessages } = tools().prepare('nancy_send', {
			to: 'fix/worker',
			text: '[run](command:evil) <b>x</b>\u202e',
		});

		assert.equal(confirmationMessages?.title, 'Send a message to fix/worker');
		const shown = confirmationMessages.message;
		const markdown = typeof shown === 'string' ? shown : shown.value;
		assert.ok(!markdown.includes('[run]('), markdown);
		assert.ok(!markdown.includes('\u202e'));
		assert.ok(markdown.includes('evil'));
		assert.deepEqual(tools().prepare('nancy_status', {}), {});
	});

	it('show beside a message and a prompt where and how they are carried out', () => {
		const shown = (tool: 'nancy_send' | 'nancy_delegate', given: object) => {
			const message = tools().prepare(tool, given).confirmationMessages?.message ?? '';
			return typeof message === 'string' ? message : message.value;
		};
		const sent = shown('nancy_send', { to: 'fix/worker', text: 'Stop', kind: 'feedback', folder: 'other' });
		assert.match(sent, /read when it stops · other/);
		const begun = shown('nancy_delegate', { prompt: 'Look', title: 'Find it', worktree: true });
		assert.match(begun, /Find it · A worktree of its own/);
	});

	it('start nothing that the user’s settings do not let agents start', async () => {
		await assert.rejects(
			tools().invoke('nancy_delegate', { prompt: 'x', agent: 'no-such-agent' }),
			/no-such-agent/,
		);
		await assert.rejects(tools().invoke('nancy_send', { to: 'fix/worker' }), /text/);
	});
});
