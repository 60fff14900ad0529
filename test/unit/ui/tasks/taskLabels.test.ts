import { describe, expect, it } from 'vitest';
import { TaskName, WorkerName } from '../../../../src/protocol/names.ts';
import { taskLabels, workerLabel } from '../../../../src/ui/tasks/taskLabels.ts';
import { taskView } from '../../../support/taskViews.ts';

const address = (task: string, worker: string) => ({ task: TaskName.parse(task), worker: WorkerName.parse(worker) });

describe('taskLabels', () => {
	it('are titles, no two of them alike, and the oldest task keeps its own', () => {
		const tasks = [
			taskView('a', { title: 'Fix it' }),
			taskView('b', { title: 'Fix it (2)' }),
			taskView('c', { title: 'Fix\n it' }),
			taskView('d', { title: 'Fix it' }),
			taskView('e', { title: 'Test it' }),
		];

		expect([...taskLabels(tasks).values()]).toEqual([
			'Fix it',
			'Fix it (2)',
			'Fix it (3)',
			'Fix it (4)',
			'Test it',
		]);
	});
});

describe('workerLabel', () => {
	const tasks = [
		taskView('one', { title: 'Fix it', workers: ['idle'], delegate: 'working' }),
		taskView('two', { title: 'Fix it', workers: ['idle', 'ended'] }),
		taskView('new', { title: 'Test it' }),
	];

	it('names the worker only where there are several, or where it is a delegate', () => {
		const labels = (
			[
				['one', 'worker'],
				['one', 'delegate-1'],
				['two', 'worker'],
				['two', 'worker-2'],
				['new', 'worker'],
				['gone', 'worker'],
			] as const
		).map(([task, worker]) => workerLabel(tasks, address(task, worker)));

		expect(labels).toEqual([
			'Fix it',
			'Fix it · delegate-1',
			'Fix it (2) · worker',
			'Fix it (2) · worker-2',
			'Test it',
			'gone · worker',
		]);
	});
});
