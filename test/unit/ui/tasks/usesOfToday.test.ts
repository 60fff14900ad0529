import { expect, it } from 'vitest';
import { NO_FACTS, type RateLimit } from '../../../../src/core/driver/transcript.ts';
import type { TaskView } from '../../../../src/core/live/overview.ts';
import { usesOfToday } from '../../../../src/ui/tasks/usesOfToday.ts';
import { taskView } from '../../../support/taskViews.ts';

const now = new Date(2026, 10, 23, 15).getTime();
const earlier = new Date(2026, 10, 23, 14).toISOString();
const yesterday = new Date(2026, 10, 22, 15).toISOString();

function used(task: TaskView, at: string, tokens: number, limits: readonly RateLimit[] = []): TaskView {
	for (const worker of task.workers) {
		worker.state.at = at;
		worker.use = { inputTokens: tokens, outputTokens: 0 };
		worker.facts = { ...NO_FACTS, limits };
	}
	return task;
}

const limit = (usedPercent: number) => ({ minutes: 300, usedPercent, resetsAt: undefined });

it('sums up open tasks of today by agent, with the newest limits', () => {
	const tasks = [
		used(taskView('one', { workers: ['idle', 'ended'] }), earlier, 10, [limit(20)]),
		used(taskView('two', { workers: ['working'] }), new Date(now).toISOString(), 100, [limit(30)]),
		used(taskView('three', { workers: ['working'] }), earlier, 1000),
		used(taskView('old', { workers: ['idle'] }), yesterday, 10_000, [limit(90)]),
		used(taskView('away', { workers: ['idle'], isArchived: true }), earlier, 100_000),
	];

	expect(usesOfToday(tasks, now)).toMatchObject([
		{ agent: 'fake', use: { inputTokens: 1120, outputTokens: 0 }, limits: [limit(30)] },
	]);
});

it('has nothing of workers that tell nothing', () => {
	expect(usesOfToday([taskView('one', { workers: ['idle'] })], 0)).toEqual([]);
});
