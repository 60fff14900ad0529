import type { DeskTask, DeskWorker } from '../../protocol/deskState.ts';
import { tasks } from './store.ts';

/** The agent of a mailbox, `<task>/<worker>`, if its task is still there. */
export function workerOf(
	folder: string,
	mailbox: string | undefined,
): { task: DeskTask; worker: DeskWorker } | undefined {
	const found = tasks.value.flatMap(task => task.workers.map(worker => ({ task, worker })));
	return found.find(({ task, worker }) => task.folder === folder && mailbox === `${task.task}/${worker.worker}`);
}

/** `Fix the rounding · worker-2`: what a person calls a mailbox. A task's first agent has the task's name. */
export function mailboxName(folder: string, mailbox: string | undefined): string | undefined {
	const found = workerOf(folder, mailbox);
	if (!found) return mailbox;
	return [found.task.title, found.worker.worker].filter(name => name !== 'worker').join(' · ');
}
