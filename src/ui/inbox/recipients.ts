import { l10n } from 'vscode';
import { visibleLine } from '../../base/visible.ts';
import type { WorkerView } from '../../core/live/overview.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import { ownerOf } from '../delegates/changedFiles.ts';
import { DelegateItem } from '../delegates/delegatesView.ts';
import type { Folders } from '../folders.ts';
import { pickSeveral, type Choice } from '../kit/inputs.ts';
import type { Folder } from '../ports.ts';
import { inOrder, isAddressed, workersOf } from '../tasks/taskOrder.ts';
import { TaskItem, WorkerItem } from '../tasks/tasksView.ts';
import { whoIs } from '../who.ts';
import { stateLine } from '../words.ts';
import { distinctLabels } from './recipientLabels.ts';

/** A worker that can be written to. */
export interface Recipient {
	folder: Folder;
	address: WorkerAddress;
	worker: WorkerView;
}

/** A recipient with the name that a person reads. */
export interface Labelled extends Recipient {
	key: string;
	label: string;
}

/** Every worker of a task that is not archived, in the order of the Tasks view; of delegates, those that have not ended. */
export function recipients(folders: Folders): Recipient[] {
	return folders.list().flatMap(folder =>
		inOrder(folder.overview().tasks).flatMap(task =>
			task.workers.filter(isAddressed).map(worker => ({
				folder,
				address: { task: worker.record.task, worker: worker.record.name },
				worker,
			})),
		),
	);
}

/** The same with their labels. No two labels are alike. */
export function labelled(folders: Folders): Labelled[] {
	const all = recipients(folders);
	const labels = distinctLabels(
		all.map(({ folder, address, worker: { record } }) => ({
			name: nameOf(visibleLine(whoIs(folder, address)), record),
			folder: folders.list().length > 1 ? folder.name : undefined,
			madeAt: record.startedAt,
		})),
	);
	return all.map((each, at) => ({ ...each, key: keyOf(each), label: labels[at] ?? '' }));
}

export function keyOf({ folder, address }: Pick<Recipient, 'folder' | 'address'>): string {
	return `${folder.path}//${address.task}/${address.worker}`;
}

/** The worker behind a row of the Tasks view, if it is the row of one worker, or below it. */
export function recipientOfRow(called: unknown): Pick<Recipient, 'folder' | 'address'> | undefined {
	const row = ownerOf(called);
	if (row instanceof WorkerItem) return row;
	if (row instanceof DelegateItem) {
		const { task, worker } = row.delegate.record;
		return { folder: row.folder, address: { task, worker } };
	}
	if (!(row instanceof TaskItem)) return undefined;
	const [only, ...others] = workersOf(row.task.workers);
	if (!only || others.length > 0) return undefined;
	return { folder: row.folder, address: { task: only.record.task, worker: only.record.name } };
}

/** Lets the user choose any number of workers. Returns their keys, or `undefined` if the user cancels. */
export async function chooseRecipients(
	all: readonly Labelled[],
	chosen: readonly string[],
	agentName: (driver: string) => string,
): Promise<string[] | undefined> {
	const rows: (Choice & { key: string | undefined })[] = all.map(({ key, label, folder, worker }) => ({
		key,
		label,
		description: [agentName(worker.record.agent), stateLine(worker, folder.path)].join(' · '),
		picked: chosen.includes(key),
	}));
	if (all.length > 1) rows.unshift({ key: undefined, label: l10n.t('All workers') });
	const picked = await pickSeveral(l10n.t('Recipients'), l10n.t('Who reads the message?'), rows);
	if (!picked) return undefined;
	const wantsAll = picked.some(({ key }) => key === undefined);
	return all.map(({ key }) => key).filter(key => wantsAll || picked.some(each => each.key === key));
}

function nameOf(label: string, { delegate }: WorkerView['record']): string {
	return delegate === undefined ? label : l10n.t('Delegate: {0}', label);
}
