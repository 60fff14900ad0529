import type { DeskTask, DeskWorker } from '../../protocol/deskState.ts';
import { tasks } from './store.ts';

interface Agent {
	task: DeskTask;
	worker: DeskWorker;
}

/** One of a task's agents, by a name among all. */
export function keyOf({ key }: DeskTask, { worker }: DeskWorker): string {
	return `${key} ${worker}`;
}

/** Who asks what no desk can answer, longest first. */
export function askingInTerminal(): Agent[] {
	const agents = tasks.value.flatMap(task => task.workers.map(worker => ({ task, worker })));
	return agents
		.filter(({ worker }) => worker.asksInTerminal)
		.toSorted((a, b) => (a.worker.since < b.worker.since ? -1 : 1));
}

/** The agent of a mailbox, `<task>/<worker>`, if its task is still there. */
export function workerOf(folder: string, mailbox: string | undefined): Agent | undefined {
	const found = tasks.value.flatMap(task => task.workers.map(worker => ({ task, worker })));
	return found.find(({ task, worker }) => task.folder === folder && mailbox === `${task.task}/${worker.worker}`);
}

/** `Fix the rounding · worker-2`: what a person calls a mailbox. A task's first agent has the task's name. */
export function mailboxName(folder: string, mailbox: string | undefined): string | undefined {
	const found = workerOf(folder, mailbox);
	if (!found) return mailbox;
	return [found.task.title, found.worker.worker].filter(name => name !== 'worker').join(' · ');
}
