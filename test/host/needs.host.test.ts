import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { TaskView, WorkerView } from '../../src/core/live/overview.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { seeStop } from '../../src/ui/needs/needCommands.ts';
import { needsOf } from '../../src/ui/needs/needs.ts';
import { agentCounts, needRow, needSentence } from '../../src/ui/needs/needWords.ts';
import { SeenStops } from '../../src/ui/needs/seenStops.ts';
import { forkWorker } from '../../src/ui/tasks/forkWorker.ts';
import { NO_CHANGES } from '../../src/ui/delegates/knownChanges.ts';
import { askedToStop } from '../../src/ui/tasks/stopWorkers.ts';
import { WorkerItem } from '../../src/ui/tasks/tasksView.ts';
import { workerRow } from '../../src/ui/tasks/workerRows.ts';
import { mementoOf } from '../support/memento.ts';
import { taskView } from '../support/taskViews.ts';
import { unusedFolder } from '../support/unusedFolder.ts';

const ID = SessionId.parse('d0d0d0d0-0000');

/** A row of the only worker of a task, and the window's folders with it. */
function only(task: TaskView, change: (worker: WorkerView) => WorkerView = worker => worker) {
	const view = { ...task, workers: task.workers.map(change) };
	const overview = () => ({ tasks: [view], problems: [] });
	const folder = Object.assign(unusedFolder(new Workspace('/project')), { overview });
	return { item: new WorkerItem(folder, view, view.workers[0]!), folders: { list: () => [folder] } };
}

function failing(at: string) {
	return (worker: WorkerView): WorkerView => ({
		...worker,
		record: { ...worker.record, exit: { code: 3, at, lines: [] } },
		state: { ...worker.state, exitCode: 3 },
	});
}

function begun(worker: WorkerView): WorkerView {
	const sessions = [{ id: ID, startedAt: worker.record.startedAt }];
	return { ...worker, record: { ...worker.record, sessions } };
}

describe('an agent that has failed', () => {
	const since = Date.parse('2026-11-23T12:00:00.000Z');
	const at = (seconds: number) => new Date(since + seconds * 1000).toISOString();
	const seen = () => new SeenStops(mementoOf(), () => since);

	it('needs the user until it was looked at, and again once it fails again', () => {
		const { item, folders } = only(taskView('fix', { workers: ['ended'] }), failing(at(1)));
		const looks = seen();
		const [need] = needsOf(folders, looks);
		assert.ok(need?.kind === 'stopped');
		assert.equal(needSentence(need), 'fix has failed with exit code 3.');
		assert.match(needRow(need, () => 'Fake').detail ?? '', /^failed · exit 3 · Fake · /);
		seeStop(looks, item);
		assert.deepEqual(needsOf(folders, looks), []);
		const again = only(taskView('fix', { workers: ['ended'] }), failing(at(2)));
		assert.equal(needsOf(again.folders, looks).length, 1);
	});

	it('is counted as failed, not as done, and only what there is is counted', () => {
		const looks = seen();
		const needs = needsOf(only(taskView('fix', { workers: ['ended'] }), failing(at(1))).folders, looks);
		assert.deepEqual(agentCounts(needs), ['1 failed']);
		const waiting = needsOf(only(taskView('fix', { workers: ['waiting'] })).folders, looks);
		assert.deepEqual(agentCounts([...waiting, ...needs]), ['1 waiting', '1 failed']);
		assert.deepEqual(agentCounts([]), []);
	});

	it('needs nobody if it was stopped, or if that was before the first use', () => {
		assert.deepEqual(needsOf(only(taskView('fix', { workers: ['ended'] })).folders, seen()), []);
		const early = only(taskView('fix', { workers: ['ended'] }), failing(at(-1)));
		assert.deepEqual(needsOf(early.folders, seen()), []);
	});
});

describe('what an agent’s CLI tells its user', () => {
	const since = Date.parse('2026-11-23T12:00:00.000Z');
	const told = (worker: WorkerView): WorkerView => ({
		...worker,
		alert: { text: 'The build is done.', at: new Date(since + 1000).toISOString() },
	});

	it('needs the user until the worker was looked at', () => {
		const { item, folders } = only(taskView('fix', { workers: ['working'] }), told);
		const looks = new SeenStops(mementoOf(), () => since);
		const [need] = needsOf(folders, looks);
		assert.ok(need?.kind === 'alert');
		assert.equal(needSentence(need), 'fix says: The build is done.');
		assert.match(needRow(need, () => 'Fake').detail ?? '', /^notification · Fake · .* · The build is done\.$/);
		assert.deepEqual(agentCounts([need]), ['1 notification']);
		seeStop(looks, item);
		assert.deepEqual(needsOf(folders, looks), []);
	});
});

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

	it('asks before one that starts is stopped, and says that it can be started again', async () => {
		const unreported = [{ id: ID, startedAt: new Date().toISOString(), unreported: true as const }];
		const named = (worker: WorkerView) => ({ ...worker, record: { ...worker.record, sessions: unreported } });
		const starting = taskView('fix', { workers: ['starting'] });
		for (const { item } of [only(starting), only(starting, named)]) {
			await askedToStop([item]);
			assert.deepEqual(asked.splice(0), [
				'Stop “fix”?',
				'An agent that has not begun its conversation can be started again later.',
			]);
		}
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
		workerRow(item, { names, delegates: [], isTask: false, canFork, changes: undefined, listed: NO_CHANGES })
			.contextValue;

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
