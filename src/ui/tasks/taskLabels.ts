import type { TaskView } from '../../core/live/overview.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { TaskName } from '../../protocol/names.ts';
import { workersOf } from './taskOrder.ts';

type Labels = ReadonlyMap<TaskName, string>;

/** An overview's tasks are the same list until something has changed. */
const known = new WeakMap<readonly TaskView[], Labels>();

/**
 * The labels of the tasks of a folder, no two of them alike. A label is the title, with a number from the second task of that title on.
 * @param tasks oldest first, so that an older task keeps its label
 */
export function taskLabels(tasks: readonly TaskView[]): Labels {
	const before = known.get(tasks);
	if (before) return before;
	const labels = new Map<TaskName, string>();
	const taken = new Set<string>();
	for (const { record } of tasks) {
		const title = record.title.replace(/\s+/g, ' ').trim();
		let label = title;
		for (let count = 2; taken.has(label); count++) label = `${title} (${count})`;
		taken.add(label);
		labels.set(record.name, label);
	}
	known.set(tasks, labels);
	return labels;
}

/** What a worker is called: `Fix the login`, or `Fix the login · worker-2` if the task has several workers or it is a delegate. */
export function workerLabel(tasks: readonly TaskView[], { task: name, worker }: WorkerAddress): string {
	const task = tasks.find(({ record }) => record.name === name);
	if (!task) return `${name} · ${worker}`;
	const label = taskLabels(tasks).get(name) ?? task.record.title;
	const isDelegate = task.workers.some(({ record }) => record.name === worker && record.delegate !== undefined);
	const hasOthers = workersOf(task.workers).some(({ record }) => record.name !== worker);
	return isDelegate || hasOthers ? `${label} · ${worker}` : label;
}
