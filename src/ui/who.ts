import { l10n } from 'vscode';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import type { Author } from '../protocol/author.ts';
import { ORCHESTRATOR } from '../protocol/names.ts';
import { firstLine } from './kit/format.ts';
import type { Folder } from './ports.ts';
import { workerLabel } from './tasks/taskLabels.ts';

/** A delegate's title may be a prompt. Long enough to tell prompts apart, and short enough for a toast. */
const MOST = 60;

/**
 * The name of a worker for a person: the label of its task, with the worker's own name if the task has several. A delegate has a title of
 * its own. `you` is the human's own mailbox.
 */
export function whoIs(folder: Folder, address: WorkerAddress): string {
	if (address.worker === ORCHESTRATOR) return l10n.t('you');
	const { tasks } = folder.overview();
	const task = tasks.find(({ record }) => record.name === address.task);
	const worker = task?.workers.find(({ record }) => record.name === address.worker);
	const delegate = folder.delegates().find(({ record }) => record.id === worker?.record.delegate);
	return delegate ? firstLine(delegate.record.title, MOST) : workerLabel(tasks, address);
}

/** The writer of a message, as {@link whoIs} names workers. */
export function whoWrote(folder: Folder, author: Author): string {
	switch (author.is) {
		case 'human':
			return l10n.t('you');
		case 'agent':
			return named(folder, author.worker) ?? author.driver ?? l10n.t('an agent');
		case 'delegate':
			return named(folder, author.worker) ?? author.worker;
		case 'nancy':
			return 'Nancy';
		case 'unknown':
			return l10n.t('author unknown');
	}
}

/** @param mailbox `<task>/<worker>` */
function named(folder: Folder, mailbox: string | undefined): string | undefined {
	for (const { record, workers } of folder.overview().tasks) {
		const worker = workers.find(each => `${record.name}/${each.record.name}` === mailbox);
		if (worker) return whoIs(folder, { task: record.name, worker: worker.record.name });
	}
	return mailbox;
}
