import { l10n } from 'vscode';
import type { TaskView, WorkerView } from '../core/live/overview.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import type { Author } from '../protocol/author.ts';
import { ORCHESTRATOR } from '../protocol/names.ts';
import { firstLine } from './kit/format.ts';
import type { Folder } from './ports.ts';
import { workerLabel } from './tasks/taskLabels.ts';

/** A delegate's title may be a prompt. Long enough to tell prompts apart, and short enough for a toast. */
const MOST = 60;

interface Known {
	workers: ReadonlyMap<string, WorkerView>;
	/** Those that somebody has asked for, by mailbox. */
	names: Map<string, string>;
}

/** An overview's tasks are the same list until something has changed. Thousands of rows ask for few names. */
const known = new WeakMap<readonly TaskView[], Known>();

/**
 * The name of a worker for a person: the label of its task, with the worker's own name if the task has several. A delegate has a title of
 * its own. `you` is the human's own mailbox.
 */
export function whoIs(folder: Folder, address: WorkerAddress): string {
	if (address.worker === ORCHESTRATOR) return l10n.t('you');
	const { workers, names } = knownOf(folder);
	const mailbox = mailboxName(address);
	const before = names.get(mailbox);
	if (before !== undefined) return before;
	const id = workers.get(mailbox)?.record.delegate;
	const delegate = id === undefined ? undefined : folder.delegates().find(({ record }) => record.id === id);
	const name = delegate ? firstLine(delegate.record.title, MOST) : workerLabel(folder.overview().tasks, address);
	names.set(mailbox, name);
	return name;
}

/** The folder in which a worker's agent works: its own worktree, else the workspace's. */
export function placeOf(folder: Folder, address: WorkerAddress | undefined): string {
	const worker = address && knownOf(folder).workers.get(mailboxName(address));
	return worker?.worktree?.folder ?? folder.path;
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
	const { task, name } = (mailbox !== undefined && knownOf(folder).workers.get(mailbox)?.record) || {};
	return task === undefined || name === undefined ? mailbox : whoIs(folder, { task, worker: name });
}

function knownOf(folder: Folder): Known {
	const { tasks } = folder.overview();
	const before = known.get(tasks);
	if (before) return before;
	const workers = tasks.flatMap(task => task.workers);
	const now: Known = {
		workers: new Map(
			workers.map(worker => [mailboxName({ task: worker.record.task, worker: worker.record.name }), worker]),
		),
		names: new Map(),
	};
	known.set(tasks, now);
	return now;
}
