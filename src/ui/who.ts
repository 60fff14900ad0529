import { l10n } from 'vscode';
import type { WorkerView } from '../core/live/overview.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import type { Author } from '../protocol/author.ts';
import { ORCHESTRATOR } from '../protocol/names.ts';
import { firstLine } from './kit/format.ts';
import type { Folder } from './ports.ts';

/** Long enough to tell tasks apart, and short enough for a toast. */
const MOST = 60;

/**
 * The name of a worker for a person: the title of its task, with the worker's own name if the task has several. A delegate has a title of
 * its own. `you` is the human's own mailbox.
 */
export function whoIs(folder: Folder, { task, worker }: WorkerAddress): string {
	if (worker === ORCHESTRATOR) return l10n.t('you');
	const found = folder.overview().tasks.find(({ record }) => record.name === task);
	if (!found) return `${task} · ${worker}`;
	const { record } = found.workers.find(each => each.record.name === worker) ?? {};
	const delegate = folder.delegates().find(each => each.record.id === record?.delegate);
	if (delegate) return firstLine(delegate.record.title, MOST);
	const title = firstLine(found.record.title, MOST);
	return found.workers.filter(isNoDelegate).length > 1 ? `${title} · ${worker}` : title;
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

function isNoDelegate({ record }: WorkerView): boolean {
	return record.delegate === undefined;
}
