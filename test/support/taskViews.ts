import type { Phase, TaskView, WorkerView } from '../../src/core/live/overview.ts';
import { DriverId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { taskRecord } from './taskRecord.ts';

const AGENT = DriverId.parse('fake');
const at = new Date(0).toISOString();

/** A task as the views get it. `workers` are the phases of its workers, and `delegate` makes one more that is a delegate. */
export function taskView(
	name: string,
	{
		title = name,
		workers = [],
		delegate,
		isArchived = false,
	}: { title?: string; workers?: readonly Phase[]; delegate?: Phase; isArchived?: boolean } = {},
): TaskView {
	const task = TaskName.parse(name);
	const worker = (worker: string, phase: Phase, more = {}): WorkerView => ({
		record: {
			version: 1,
			task,
			name: WorkerName.parse(worker),
			agent: AGENT,
			sessions: [],
			startedAt: at,
			...more,
		},
		state: { phase, source: '', at, since: at },
		queued: 0,
	});
	return {
		record: taskRecord(task, AGENT, { title, ...(isArchived && { archivedAt: at }) }),
		workers: [
			...workers.map((phase, index) => worker(index === 0 ? 'worker' : `worker-${index + 1}`, phase)),
			...(delegate === undefined ? [] : [worker('delegate-1', delegate, { delegate: 'd1' })]),
		],
		unread: 0,
	};
}
