import { liveness } from '../../base/liveness.ts';
import type { MemoryTask, ProjectRecord } from '../../protocol/memory.ts';

/** A task as it is now: one that has not ended, and whose process is gone, was killed. Nobody else will say so. */
export function asItIs(task: MemoryTask): MemoryTask {
	const { by, endedAt } = task;
	if (endedAt !== undefined || by === undefined || liveness(by) !== 'dead') return task;
	return {
		...task,
		ending: 'killed',
		ok: false,
		reason: 'its process was killed',
		extraction: { state: 'skipped', tries: 0, cause: 'killed' },
	};
}

/** What the record of a project says of its tasks. */
export function countsOf(tasks: readonly MemoryTask[]): Pick<ProjectRecord, 'last_task' | 'stats'> {
	const last = tasks.at(-1);
	const usage = tasks.flatMap(({ extraction }) => extraction.usage ?? []);
	const sum = (of: (each: (typeof usage)[number]) => number | undefined) =>
		usage.reduce((total, each) => total + (of(each) ?? 0), 0);
	return {
		...(last && { last_task: last.number }),
		stats: {
			tasks: tasks.length,
			sessions: new Set(tasks.flatMap(({ session }) => session ?? [])).size,
			extraction_input_tokens: sum(each => each.inputTokens),
			extraction_output_tokens: sum(each => each.outputTokens),
			extraction_cost_usd: sum(each => each.costUsd),
		},
	};
}
