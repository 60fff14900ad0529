import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { WindowOperations } from '../../src/main/windowOperations.ts';
import { FIRST_WORKER, SessionId, TaskName, type MessageId } from '../../src/protocol/names.ts';
import { MessageItem } from '../../src/ui/inbox/inboxItems.ts';
import { withdrawMessage } from '../../src/ui/inbox/mailCommands.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const address = { task: TaskName.parse('fix'), worker: FIRST_WORKER };

describe('withdrawing a message in the window', () => {
	const temp = mkdtempSync(join(tmpdir(), 'nancy-withdraw-'));
	const dataBefore = process.env['XDG_DATA_HOME'];
	const { showInformationMessage } = vscode.window;
	const said: string[] = [];
	let workspace: Workspace;

	before(async () => {
		process.env['XDG_DATA_HOME'] = join(temp, 'data');
		Object.assign(vscode.window, {
			showInformationMessage: (text: string) => Promise.resolve(void said.push(text)),
		});
		workspace = new Workspace(join(temp, 'project'));
		await workspace.createTask(taskRecord(address.task, fakeDriver.id));
	});
	after(() => {
		Object.assign(vscode.window, { showInformationMessage });
		if (dataBefore === undefined) delete process.env['XDG_DATA_HOME'];
		else process.env['XDG_DATA_HOME'] = dataBefore;
		rmSync(temp, { recursive: true, force: true });
	});

	async function withdraw(id: MessageId): Promise<void> {
		const { messages } = await workspace.mailbox(address).list(['queued']);
		const message = messages.find(each => each.id === id);
		assert.ok(message);
		const operations = new WindowOperations(temp, '0.0.0', () => undefined);
		const nothing = { overview: () => ({ tasks: [], problems: [] }), delegates: () => [] };
		const folder = Object.assign(unusedFolder(workspace), nothing);
		await withdrawMessage({ operations, inbox: { letGo: () => undefined } }, [
			new MessageItem(folder, address, message),
		]);
	}

	it('says nothing of a message that nobody has read', async () => {
		await withdraw(await workspace.send(address, messageContent('Go on.'), BY_USER));
		assert.deepEqual(said, []);
	});

	it('says that the agent may have read a message whose delivery was lost', async () => {
		const id = await workspace.send(address, messageContent('Go on.'), BY_USER);
		const mailbox = workspace.mailbox(address);
		for (const claim of await mailbox.claim(() => 'take'))
			claim.deliver({
				deliveredAt: new Date().toISOString(),
				event: 'Stop',
				driver: fakeDriver.id,
				session: SessionId.parse('s1'),
				rung: 'hook',
			});
		assert.ok(mailbox.requeue(id));
		await withdraw(id);
		assert.deepEqual(said, [`The message was withdrawn, but fix · ${FIRST_WORKER} may have read it.`]);
	});
});
