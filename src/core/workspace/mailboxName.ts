import { WorkerName, type TaskName } from '../../protocol/names.ts';

/** `<task>/<worker>`, as people and programs name a mailbox. */
export function mailboxName({ task, worker }: { readonly task: TaskName; readonly worker: WorkerName }): string {
	return `${task}/${worker}`;
}

/** The name after the last number. An agent can write names with any number, also with one that no longer counts as such. */
export function nextName(prefix: 'delegate-' | 'worker-', last: number, taken: readonly string[]): WorkerName {
	let number = last + 1;
	while (taken.includes(`${prefix}${number}`)) number++;
	return WorkerName.parse(`${prefix}${number}`);
}
