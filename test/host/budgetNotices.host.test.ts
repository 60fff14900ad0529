import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/event.ts';
import type { Delegate } from '../../src/core/delegates/delegate.ts';
import type { DelegateState } from '../../src/protocol/delegate.ts';
import { budgetNotices } from '../../src/ui/budgetNotices.ts';
import { DelegateRoom } from '../support/delegateRoom.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

describe('the notice of a delegate whose budget is used up', () => {
	const { showWarningMessage } = vscode.window;
	const room = new DelegateRoom();
	const said: string[] = [];
	before(() => {
		Object.assign(vscode.window, { showWarningMessage: (text: string) => Promise.resolve(void said.push(text)) });
	});
	after(async () => {
		Object.assign(vscode.window, { showWarningMessage });
		await room.folder.remove();
	});

	async function notice(title: string, state: DelegateState): Promise<string | undefined> {
		const delegate: Delegate = { ...(await room.queue({ title })), state };
		const task = taskView('fix', { delegate: 'idle' });
		const workers = task.workers.map(each => ({
			...each,
			record: { ...each.record, delegate: delegate.record.id },
			budget: { budget: { tokens: 200_000 }, level: 'spent' as const },
		}));
		const overview = () => ({ tasks: [{ ...task, workers }], problems: [] });
		const folder = Object.assign(unusedFolder(room.workspace), { overview, delegates: () => [delegate] });
		const changed = new Emitter<void>();
		const works: Promise<unknown>[] = [];
		const notices = budgetNotices(
			{ list: () => [folder], onDidChange: changed.event },
			{ background: work => void works.push(work) },
			() => Promise.resolve(),
		);
		changed.fire();
		await Promise.all(works);
		notices.dispose();
		return said.pop();
	}

	it('says that it is being stopped while it works, and of an ended one that it has ended', async () => {
		const words = (title: string, end: string) => `“${title}” has used up its budget of 200k tokens. ${end}`;
		assert.equal(await notice('Sow', 'running'), words('Sow', 'The delegate is being stopped.'));
		assert.equal(await notice('Reap', 'done'), words('Reap', 'The delegate has ended.'));
	});
});
