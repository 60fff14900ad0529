import * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { TaskView } from '../../core/live/overview.ts';
import { sumUse } from '../../core/budgets/use.ts';
import { firstLine, formatDateTime } from '../kit/format.ts';
import { row, type Row } from '../kit/row.ts';
import { tooltip } from '../kit/tooltip.ts';
import type { Folder } from '../ports.ts';
import { budgetLine, budgetNote, spokenUse, useNotes, useWords } from '../useWords.ts';
import { phaseIcons } from './phaseLooks.ts';
import { countPhases, phaseOf, type Group } from './taskGroups.ts';
import { taskLabels } from './taskLabels.ts';
import { hasRunning, workersOf } from './taskOrder.ts';

/** The rows of the Tasks view that are no worker's. */

export interface OfTask {
	readonly folder: Folder;
	readonly task: TaskView;
}

interface OfTasks {
	readonly folder: Folder;
	readonly tasks: readonly TaskView[];
}

export function folderRow({ folder }: Pick<OfTask, 'folder'>): Row {
	const item = row(folder.path, folder.name, vscode.TreeItemCollapsibleState.Expanded);
	item.contextValue = 'folder';
	item.iconPath = vscode.ThemeIcon.Folder;
	item.accessibilityInformation = { label: l10n.t('Folder {0}', folder.name) };
	return item;
}

export function groupRow({ folder, group, tasks }: OfTasks & { readonly group: Group }): Row {
	const label = groupWord(group);
	const item = row(`${folder.path}//:group/${group}`, label, vscode.TreeItemCollapsibleState.Expanded);
	item.contextValue = 'group';
	item.description = String(tasks.length);
	item.accessibilityInformation = { label: l10n.t('{0}, tasks: {1}', label, tasks.length) };
	return item;
}

function groupWord(group: Group): string {
	switch (group) {
		case 'needs':
			return l10n.t('Needs You');
		case 'working':
			return l10n.t('Working');
		case 'idle':
			return l10n.t('Idle');
		case 'ended':
			return l10n.t('Ended');
	}
}

export function archivedRow({ folder, tasks }: OfTasks): Row {
	const item = row(`${folder.path}//:archived`, l10n.t('Archived'), vscode.TreeItemCollapsibleState.Expanded);
	item.contextValue = 'archived';
	item.iconPath = new vscode.ThemeIcon('archive');
	item.description = String(tasks.length);
	item.accessibilityInformation = { label: l10n.t('Archived tasks: {0}', tasks.length) };
	return item;
}

/** `2 working, 1 asks` below the title. */
export function taskRow({ folder, task }: OfTask): Row {
	const { record } = task;
	const isArchived = record.archivedAt !== undefined;
	const label = labelOf({ folder, task });
	const item = row(taskKey({ folder, task }), label, foldOf(isArchived, workersOf(task.workers).length));
	item.contextValue = taskContext({ folder, task });
	const phase = isArchived ? undefined : phaseOf(task);
	item.iconPath = phase
		? phaseIcons[phase]
		: new vscode.ThemeIcon(record.origin === 'found' ? 'radio-tower' : 'checklist');
	const counts = countPhases(task).map(({ group, count }) => countWords(group, count));
	const words = [counts.join(', '), ...taskNotes(task), ...budgetNote(task.budget)].filter(Boolean);
	const use = sumUse(task.workers.map(each => each.use));
	item.description = [...words, ...useNotes(use)].join(' · ');
	const spoken = [...words, ...spokenUse(use)].join(' · ');
	item.accessibilityInformation = {
		label: [l10n.t('Task {0}', label), isArchived ? l10n.t('archived') : '', spoken].filter(Boolean).join(', '),
	};
	return item;
}

export function taskHover({ task: { record, workers, budget } }: OfTask): vscode.MarkdownString {
	const all = sumUse(workers.map(each => each.use));
	return tooltip(record.title, [
		[l10n.t('Prompt'), firstLine(record.prompt, 200)],
		...(all ? workers : []).map(
			each => [each.record.name, each.use && useWords(each.use)] satisfies [string, string | undefined],
		),
		[l10n.t('Whole task'), all && useWords(all)],
		[l10n.t('Budget'), budget && budgetLine(budget, all)],
		[l10n.t('Started'), formatDateTime(record.createdAt)],
		[l10n.t('Name'), record.name],
	]);
}

export function labelOf({ folder, task }: OfTask): string {
	return taskLabels(folder.overview().tasks).get(task.record.name) ?? task.record.title;
}

/**
 * VS Code keeps a row closed that could not be opened at first. So the row of several workers, which is open, is another row to it than the
 * row of the first worker alone.
 */
function taskKey({ folder, task }: OfTask): string {
	const key = `${folder.path}//${task.record.name}`;
	return workersOf(task.workers).length > 1 ? `${key}//workers` : key;
}

function foldOf(isArchived: boolean, workers: number): vscode.TreeItemCollapsibleState {
	if (workers === 0) return vscode.TreeItemCollapsibleState.None;
	return isArchived ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.Expanded;
}

/** `task`, `task.running`, `task.found`, `task.found.running` or `task.archived`. */
export function taskContext({ task }: OfTask): string {
	const isArchived = task.record.archivedAt !== undefined;
	return [
		'task',
		...(task.record.origin === 'found' && !isArchived ? ['found'] : []),
		...(isArchived ? ['archived'] : hasRunning(task) ? ['running'] : []),
	].join('.');
}

/** What the row of a task says beside what its workers do. */
export function taskNotes({ record, unread }: TaskView): string[] {
	return [
		...(unread > 0 ? [l10n.t('{0} unread', unread)] : []),
		...(record.origin === 'found' ? [l10n.t('not started by Nancy')] : []),
	];
}

function countWords(group: Group, count: number): string {
	switch (group) {
		case 'needs':
			return count === 1 ? l10n.t('1 asks') : l10n.t('{0} ask', count);
		case 'working':
			return l10n.t('{0} working', count);
		case 'idle':
			return l10n.t('{0} idle', count);
		case 'ended':
			return l10n.t('{0} ended', count);
	}
}
