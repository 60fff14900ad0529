import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../base/errors.ts';
import type { TaskView } from '../core/live/overview.ts';
import type { Folders } from './folders.ts';
import { firstLine } from './kit/format.ts';
import { pickOne, type Choice } from './kit/inputs.ts';
import type { Folder } from './ports.ts';
import { taskLabels } from './tasks/taskLabels.ts';
import { whoIs } from './who.ts';
import { inOrder, isAddressed, isShown } from './tasks/taskOrder.ts';
import { TaskItem, WorkerItem } from './tasks/tasksView.ts';
import { stateLine } from './words.ts';

/** The questions of a command that was not called from a tree item. A question with only one answer is not asked. */

export async function pickFolder(folders: Pick<Folders, 'list'>): Promise<Folder> {
	const rows = folders.list().map(folder => ({ label: folder.name, description: folder.path, value: folder }));
	if (rows.length === 0)
		throw new NancyError('not-a-workspace', l10n.t('Open a folder first: agents work on a folder.'));
	return pick(rows, l10n.t('In which folder?'));
}

export async function pickTask(folders: Folders, which: (task: TaskView) => boolean, none: string): Promise<TaskItem> {
	const rows = folders.list().flatMap(folder =>
		folder
			.overview()
			.tasks.filter(task => isShown(task) && which(task))
			.toReversed()
			.map(task => ({
				label: taskLabels(folder.overview().tasks).get(task.record.name) ?? task.record.title,
				description: folders.list().length > 1 ? folder.name : '',
				detail: firstLine(task.record.prompt),
				value: new TaskItem(folder, task),
			})),
	);
	if (rows.length === 0) throw new NancyError('no-task', none);
	return pick(rows, l10n.t('Which task?'));
}

export async function pickWorker(
	folders: Folders,
	which: (item: WorkerItem) => boolean,
	none: string,
): Promise<WorkerItem> {
	const rows = workerItems(folders)
		.filter(which)
		.map(item => ({
			label: whoIs(item.folder, item.address),
			description: [folders.list().length > 1 ? item.folder.name : '', stateLine(item.worker, item.folder.path)]
				.filter(Boolean)
				.join(' · '),
			value: item,
		}));
	if (rows.length === 0) throw new NancyError('no-task', none);
	return pick(rows, l10n.t('Which worker?'));
}

/** Every worker of a task that is not archived; of delegates, those that have not ended. */
export function workerItems(folders: Pick<Folders, 'list'>): WorkerItem[] {
	return folders
		.list()
		.flatMap(folder =>
			inOrder(folder.overview().tasks).flatMap(task =>
				task.workers.filter(isAddressed).map(worker => new WorkerItem(folder, task, worker)),
			),
		);
}

/** The worker with this name, `<task>/<worker>`. Throws if nobody can write to it any more. */
export function reachable(folders: Folders, folder: Folder, name: string | undefined): WorkerItem {
	const found = workerItems(folders).find(
		({ folder: its, address }) => its === folder && `${address.task}/${address.worker}` === name,
	);
	if (!found) throw new NancyError('no-task', l10n.t('This worker can no longer be reached.'));
	return found;
}

/** Why there is no task or worker to choose. */
export function noTask(): string {
	return l10n.t('There is no task yet. Start one with “Nancy: Orchestrate Task”.');
}

/** Throws `none` if there is nothing to choose from. */
export async function pickItem<T>(rows: readonly (Choice & { value: T })[], title: string, none: string): Promise<T> {
	if (rows.length === 0) throw new NancyError('no-task', none);
	return pick(rows, title);
}

async function pick<T>(rows: readonly (Choice & { value: T })[], title: string): Promise<T> {
	const [only, ...others] = rows;
	if (only && others.length === 0) return only.value;
	const chosen = await pickOne(title, rows);
	if (!chosen) throw new vscode.CancellationError();
	return chosen.value;
}
