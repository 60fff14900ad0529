import { l10n } from 'vscode';
import type { Named } from '../base/phrase.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import { delegateLabels } from './delegates/delegateWords.ts';
import type { Folder } from './ports.ts';
import { taskLabels } from './tasks/taskLabels.ts';
import { whoIs } from './who.ts';

/**
 * What a row calls something that an error of the core names. Two folders may have a task of one name: only what all of them call alike is
 * said by its title.
 */
export function titleOf(
	{ is, name }: Named,
	folders: readonly Folder[],
	agentName: (driver: string) => string,
): string {
	if (is === 'agent') return agentName(name);
	const labels = new Set(folders.flatMap(folder => labelIn(folder, is, name, agentName) ?? []));
	const [label = name] = labels;
	return labels.size === 1 ? l10n.t('“{0}”', label) : name;
}

function labelIn(
	folder: Folder,
	is: 'task' | 'worker' | 'delegate',
	name: string,
	agentName: (driver: string) => string,
): string | undefined {
	const { tasks } = folder.overview();
	if (is === 'delegate') {
		const delegate = folder.delegates().find(({ record }) => record.id === name);
		return delegate && delegateLabels(folder.delegates(), agentName).full(delegate);
	}
	if (is === 'task') return Array.from(taskLabels(tasks)).find(([task]) => task === name)?.[1];
	const worker = tasks
		.flatMap(({ workers }) => workers.map(({ record }) => ({ task: record.task, worker: record.name })))
		.find(address => mailboxName(address) === name);
	return worker && whoIs(folder, worker);
}
