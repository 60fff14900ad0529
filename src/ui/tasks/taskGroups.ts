import type { Phase, TaskView } from '../../core/live/overview.ts';
import type { TaskChoices } from '../choices.ts';
import { taskLabels } from './taskLabels.ts';
import { inOrder, workersOf } from './taskOrder.ts';

/** Tasks by what they need from the user, most urgent first. */
export const GROUPS = ['needs', 'working', 'idle', 'ended'] as const;
export type Group = (typeof GROUPS)[number];

const groupOfPhase: Readonly<Record<Phase, Group>> = {
	waiting: 'needs',
	starting: 'working',
	working: 'working',
	idle: 'idle',
	ended: 'ended',
};

/** The most urgent of its workers counts. A task without a worker has not ended: its worker is about to start. */
export function groupOf({ workers }: TaskView): Group {
	const groups = new Set(workersOf(workers).map(({ state }) => groupOfPhase[state.phase]));
	return GROUPS.find(group => groups.has(group)) ?? 'idle';
}

/** The phase that a row of several workers shows: that of the most urgent one. */
export function phaseOf({ workers }: TaskView): Phase | undefined {
	const phases = workersOf(workers).map(({ state }) => state.phase);
	return phases.toSorted((a, b) => GROUPS.indexOf(groupOfPhase[a]) - GROUPS.indexOf(groupOfPhase[b])).at(0);
}

/** How many workers are in each phase, most urgent first; one that starts counts as working. */
export function countPhases({ workers }: TaskView): { group: Group; count: number }[] {
	const all = workersOf(workers).map(({ state }) => groupOfPhase[state.phase]);
	return GROUPS.map(group => ({ group, count: all.filter(each => each === group).length })).filter(
		({ count }) => count > 0,
	);
}

/**
 * The tasks that are not archived, by group if the user wants it so.
 * @param shownAs the group that a task is shown in
 */
export function arrange(
	tasks: readonly TaskView[],
	{ isGrouped, sort, hidesEnded }: Omit<TaskChoices, 'showsArchived'>,
	shownAs: (task: TaskView) => Group,
): { group: Group | undefined; tasks: TaskView[] }[] {
	const shown = inOrder(tasks).map(task => ({ task, group: shownAs(task) }));
	const kept = shown.filter(({ group }) => !hidesEnded || group !== 'ended');
	const labels = taskLabels(tasks);
	const labelOf = ({ task }: { task: TaskView }) => labels.get(task.record.name) ?? '';
	const sorted = sort === 'name' ? kept.toSorted((a, b) => labelOf(a).localeCompare(labelOf(b))) : kept;
	if (!isGrouped) return [{ group: undefined, tasks: sorted.map(({ task }) => task) }];
	return GROUPS.map(group => ({
		group,
		tasks: sorted.filter(each => each.group === group).map(({ task }) => task),
	})).filter(each => each.tasks.length > 0);
}
