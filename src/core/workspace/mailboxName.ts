import type { TaskName, WorkerName } from '../../protocol/names.ts';

/** `<task>/<worker>`, as people and programs name a mailbox. */
export function mailboxName({ task, worker }: { readonly task: TaskName; readonly worker: WorkerName }): string {
	return `${task}/${worker}`;
}
