import { Named } from '../../base/phrase.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import type { DriverId, TaskName, WorkerName } from '../../protocol/names.ts';
import { mailboxName } from './mailboxName.ts';

/** Parts of phrases. Terminals, files and agents get the name, and the window says the title of the row. */

export function theTask(task: TaskName): Named {
	return new Named('task', task);
}

export function theWorker(address: { readonly task: TaskName; readonly worker: WorkerName }): Named {
	return new Named('worker', mailboxName(address));
}

export function theDelegate(id: DelegateId): Named {
	return new Named('delegate', id);
}

export function theAgent(id: DriverId): Named {
	return new Named('agent', id);
}
