import { describe, expect, it } from 'vitest';
import type { TaskView } from '../../../../src/core/live/overview.ts';
import { arrange, countPhases, groupOf, phaseOf } from '../../../../src/ui/tasks/taskGroups.ts';
import { taskView } from '../../../support/taskViews.ts';

const namesOf = (tasks: readonly TaskView[]) => tasks.map(({ record }) => record.name);

describe('groupOf', () => {
	it.each([
		['needs', ['ended', 'idle', 'working', 'waiting']],
		['working', ['ended', 'idle', 'starting']],
		['working', ['working']],
		['idle', ['ended', 'idle']],
		['ended', ['ended']],
		['idle', []],
	] as const)('is %s for workers that are %j', (group, workers) => {
		expect(groupOf(taskView('t', { workers }))).toBe(group);
	});

	it('does not count delegates', () => {
		expect(groupOf(taskView('t', { workers: ['ended'], delegate: 'working' }))).toBe('ended');
	});
});

it('sums up the workers of a task, most urgent first', () => {
	const task = taskView('t', { workers: ['working', 'ended', 'waiting', 'starting'], delegate: 'idle' });

	expect(countPhases(task)).toEqual([
		{ group: 'needs', count: 1 },
		{ group: 'working', count: 2 },
		{ group: 'ended', count: 1 },
	]);
	expect(phaseOf(task)).toBe('waiting');
	expect(phaseOf(taskView('t'))).toBeUndefined();
});

describe('arrange', () => {
	// Oldest first, as an overview has them.
	const tasks = [
		taskView('old', { title: 'Beta', workers: ['idle'] }),
		taskView('away', { workers: ['idle'], isArchived: true }),
		taskView('over', { title: 'alpha', workers: ['ended'] }),
		taskView('new', { title: 'Gamma', workers: ['idle'] }),
		taskView('asks', { title: 'Delta', workers: ['waiting'] }),
	];
	const list = { isGrouped: false, sort: 'newest', hidesEnded: false } as const;
	const shown = (choices: Parameters<typeof arrange>[1]) =>
		arrange(tasks, choices, groupOf).map(each => [each.group, ...namesOf(each.tasks)]);

	it('lists the newest first, whatever their states', () => {
		expect(shown(list)).toEqual([[undefined, 'asks', 'new', 'over', 'old']]);
	});

	it('sorts by name', () => {
		expect(shown({ ...list, sort: 'name' })).toEqual([[undefined, 'over', 'old', 'asks', 'new']]);
	});

	it('hides what has ended', () => {
		expect(shown({ ...list, hidesEnded: true })).toEqual([[undefined, 'asks', 'new', 'old']]);
	});

	it('groups by state, newest first in each group, without empty groups', () => {
		expect(shown({ ...list, isGrouped: true })).toEqual([
			['needs', 'asks'],
			['idle', 'new', 'old'],
			['ended', 'over'],
		]);
	});
});
