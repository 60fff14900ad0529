import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { TaskView, WorkerView } from '../../src/core/live/overview.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { forkWorker } from '../../src/ui/tasks/forkWorker.ts';
import { askedToStop } from '../../src/ui/tasks/stopWorkers.ts';
import { WorkerItem } from '../../src/ui/tasks/tasksView.ts';
import { workerRow } from '../../src/ui/tasks/workerRows.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const ID = SessionId.parse('d0d0d0d0-0000');

/** A row of the only worker of a task. */
function only(task: TaskView, change: (worker: WorkerView) => WorkerView = worker => worker) {
	const view = { ...task, workers: task.workers.map(change) };
	const overview = () => ({ tasks: [view], problems: [] });
	const folder = Object.assign(unusedFolder(new Workspace('/project')), { overview });
	return { item: new WorkerItem(folder, view, view.workers[0]!) };
}

function begun(worker: WorkerView): WorkerView {
	const sessions = [{ id: ID, startedAt: worker.record.startedAt }];
	return { ...worker, record: { ...worker.record, sessions } };
}

describe('stopping agents', () => {
	const { showWarningMessage } = vscode.window;
	let asked: string[] = [];
	beforeEach(() => {
		asked = [];
		const answer = (question: string, { detail }: vscode.MessageOptions, button: string) => {
			asked.push(question, detail ?? '');
			return Promise.resolve(button);
		};
		Object.assign(vscode.window, { showWarningMessage: answer });
	});
	afterEach(() => Object.assign(vscode.window, { showWarningMessage }));

	it('asks before one that starts is stopped, and says that it cannot be resumed', async () => {
		await askedToStop([only(taskView('fix', { workers: ['starting'] })).item]);
		assert.deepEqual(asked, ['Stop “fix”?', 'An agent that has not begun a conversation cannot be resumed later.']);
	});

	it('asks before one that works is stopped, and not before an idle one is', async () => {
		await askedToStop([only(taskView('fix', { workers: ['idle'] }), begun).item]);
		assert.deepEqual(asked, []);
		await askedToStop([only(taskView('fix', { workers: ['working'] }), begun).item]);
		assert.deepEqual(asked, [
			'Stop “fix”?',
			'The agent is in the middle of its work. You can resume its conversation later.',
		]);
	});
});

describe('the row of a worker', () => {
	const names = { full: () => 'Fake', short: () => 'Fake' };
	const menuOf = ({ item }: { item: WorkerItem }, canFork: boolean) =>
		workerRow(item, { names, delegates: [], isTask: false, canFork, changes: undefined }).contextValue;

	it('offers a fork only of a conversation, and only where the CLI can', () => {
		const task = taskView('fix', { workers: ['idle'] });
		assert.equal(menuOf(only(task, begun), true), 'worker.idle fork');
		assert.equal(menuOf(only(task, begun), false), 'worker.idle');
		assert.equal(menuOf(only(task), true), 'worker.idle unbegun');
	});

	it('is forked by the palette only where the CLI can, which says so otherwise', async () => {
		const { item } = only(taskView('fix', { workers: ['idle'] }), begun);
		const forked: string[] = [];
		const own = (canFork: boolean) => ({
			orchestrator: { fork: async () => void forked.push('fix') },
			agentName: () => 'Fake',
			canFork: () => canFork,
		});
		await assert.rejects(forkWorker(own(false), item), /Fake cannot fork a conversation\./);
		assert.deepEqual(forked, []);
		await forkWorker(own(true), item);
		assert.deepEqual(forked, ['fix']);
	});
});
