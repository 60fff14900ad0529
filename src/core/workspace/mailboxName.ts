import type { WorkerAddress } from './workspace.ts';

/** `<task>/<worker>`, as people and programs name a mailbox. */
export function mailboxName({ task, worker }: WorkerAddress): string {
	return `${task}/${worker}`;
}
