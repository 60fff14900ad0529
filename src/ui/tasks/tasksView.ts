import * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { Phase, TaskView, WorkerView } from '../../core/live/overview.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { Choices } from '../choices.ts';
import { firstLine, formatAge, formatCount, formatTime } from '../kit/format.ts';
import type { Folders } from '../folders.ts';
import type { Folder } from '../ports.ts';
import { LiveTree } from '../kit/liveTree.ts';
import { ProblemItem } from '../kit/problemItem.ts';
import { row, type Row } from '../kit/row.ts';
import { hasRunning, inOrder, isShown, workersOf } from './taskOrder.ts';
import { stateLine, phaseWord } from '../words.ts';
import { tooltip } from '../kit/tooltip.ts';

export class FolderItem {
	constructor(readonly folder: Folder) {}
}

export class TaskItem {
	constructor(
		readonly folder: Folder,
		readonly task: TaskView,
	) {}
}

export class WorkerItem {
	constructor(
		readonly folder: Folder,
		readonly task: TaskView,
		readonly worker: WorkerView,
	) {}

	get address(): WorkerAddress {
		return { task: this.worker.record.task, worker: this.worker.record.name };
	}
}

class ArchivedItem {
	constructor(
		readonly folder: Folder,
		readonly tasks: readonly TaskView[],
	) {}
}

export type TaskElement = FolderItem | TaskItem | WorkerItem | ArchivedItem | ProblemItem;

const icons: Readonly<Record<Phase, vscode.ThemeIcon>> = {
	starting: new vscode.ThemeIcon('loading~spin', new vscode.ThemeColor('charts.blue')),
	working: new vscode.ThemeIcon('loading~spin', new vscode.ThemeColor('charts.blue')),
	waiting: new vscode.ThemeIcon('bell-dot', new vscode.ThemeColor('list.warningForeground')),
	idle: new vscode.ThemeIcon('circle-filled', new vscode.ThemeColor('charts.green')),
	ended: new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground')),
};

/** Ages under a minute are shown to the second. */
const TICK_MS = 1000;

/** Tasks with their workers and what each is doing. Maps what the folders know; asks nothing of the disk. */
export class TasksView extends LiveTree<TaskElement> {
	constructor(
		private readonly folders: Folders,
		view: vscode.TreeView<unknown>,
		private readonly choices: Choices,
		private readonly agentName: (driver: string) => string,
	) {
		super(view, TICK_MS, folders.onDidChange, choices.onDidChange);
	}

	protected childrenOf(parent: TaskElement | undefined): TaskElement[] {
		if (parent === undefined) {
			const [only, ...others] = this.folders.list();
			if (only === undefined) return [];
			return others.length === 0 ? this.tasksOf(only) : this.folders.list().map(each => new FolderItem(each));
		}
		if (parent instanceof FolderItem) return this.tasksOf(parent.folder);
		if (parent instanceof TaskItem)
			return workersOf(parent.task.workers).map(worker => new WorkerItem(parent.folder, parent.task, worker));
		if (parent instanceof ArchivedItem) return parent.tasks.map(task => new TaskItem(parent.folder, task));
		return [];
	}

	protected itemOf(element: TaskElement): Row {
		if (element instanceof WorkerItem) return this.workerItem(element);
		if (element instanceof TaskItem) return taskItem(element);
		if (element instanceof ProblemItem) return element.treeItem();
		return element instanceof FolderItem ? folderItem(element) : archivedItem(element);
	}

	protected hoverOf(element: TaskElement): vscode.MarkdownString | undefined {
		return element instanceof WorkerItem ? this.workerTooltip(element) : undefined;
	}

	private tasksOf(folder: Folder): TaskElement[] {
		const { tasks, problems } = folder.overview();
		const archived = tasks.filter(task => task.record.archivedAt !== undefined);
		return [
			...inOrder(tasks.filter(isShown)).map(task => new TaskItem(folder, task)),
			...problems.map(problem => new ProblemItem(problem)),
			...(this.choices.showsArchived && archived.length > 0 ? [new ArchivedItem(folder, archived)] : []),
		];
	}

	private workerItem(element: WorkerItem): Row {
		const { folder, task, worker } = element;
		const { record, state } = worker;
		const item = row(`${folder.path}//${record.task}/${record.name}`, record.name);
		item.contextValue = `worker.${state.phase}`;
		item.iconPath = icons[state.phase];
		const queued = worker.queued === 0 ? undefined : l10n.t('{0} queued', worker.queued);
		const unhooked = record.hooks === 'off' && state.phase !== 'ended' ? l10n.t('no hooks') : undefined;
		item.description = [stateLine(state), unhooked, queued].filter(Boolean).join(' · ');
		item.command = { command: 'nancy.focusTerminal', title: l10n.t('Focus Terminal'), arguments: [element] };
		item.accessibilityInformation = {
			label: l10n.t('Worker {0} of task {1}, {2}', record.name, task.record.title, item.description),
		};
		return item;
	}

	private workerTooltip({ folder, task, worker }: WorkerItem): vscode.MarkdownString {
		const { record, state, facts } = worker;
		const window = facts?.contextWindow;
		const used =
			facts?.contextTokens === undefined
				? undefined
				: window === undefined
					? formatCount(facts.contextTokens)
					: l10n.t(
							'{0} of {1} ({2} %)',
							formatCount(facts.contextTokens),
							formatCount(window),
							Math.round((100 * facts.contextTokens) / window),
						);
		return tooltip(`${task.record.title} · ${record.name}`, [
			[l10n.t('State'), [phaseWord(state), state.source, l10n.t('{0} ago', formatAge(state.at))].join(' · ')],
			[l10n.t('Doing'), [state.tool, state.summary].filter(Boolean).join(' ')],
			[l10n.t('Agent'), [this.agentName(record.agent), record.agentVersion].filter(Boolean).join(' ')],
			[l10n.t('Model'), facts?.model ?? record.model],
			[l10n.t('Context'), used],
			[
				l10n.t('Tokens'),
				facts && l10n.t('{0} in, {1} out', formatCount(facts.inputTokens), formatCount(facts.outputTokens)),
			],
			[l10n.t('Cost'), facts?.costUsd === undefined ? undefined : `$${facts.costUsd.toFixed(2)}`],
			[
				l10n.t('Hooks'),
				record.hooks && l10n.t('off: messages are not delivered, and what it does is known only roughly'),
			],
			[l10n.t('Queued'), worker.queued === 0 ? undefined : String(worker.queued)],
			[l10n.t('Started'), formatTime(record.startedAt)],
			[l10n.t('Process'), record.process && String(record.process.pid)],
			[l10n.t('Session'), state.session ?? record.sessions.at(-1)?.id],
			[l10n.t('Folder'), folder.path],
		]);
	}
}

function folderItem({ folder }: FolderItem): Row {
	const item = row(folder.path, folder.name, vscode.TreeItemCollapsibleState.Expanded);
	item.contextValue = 'folder';
	item.iconPath = vscode.ThemeIcon.Folder;
	item.accessibilityInformation = { label: l10n.t('Folder {0}', folder.name) };
	return item;
}

function archivedItem({ folder, tasks }: ArchivedItem): Row {
	const item = row(`${folder.path}//archived`, l10n.t('Archived'), vscode.TreeItemCollapsibleState.Expanded);
	item.contextValue = 'archived';
	item.iconPath = new vscode.ThemeIcon('archive');
	item.description = String(tasks.length);
	item.accessibilityInformation = { label: l10n.t('Archived tasks: {0}', tasks.length) };
	return item;
}

function taskItem({ folder, task }: TaskItem): Row {
	const { record, unread } = task;
	const workers = workersOf(task.workers);
	const isArchived = record.archivedAt !== undefined;
	const item = row(
		`${folder.path}//${record.name}`,
		record.title,
		// Expanded also while there is no worker yet: VS Code would keep a row closed that could not be opened at first.
		isArchived ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.Expanded,
	);
	item.contextValue = [
		'task',
		...(record.origin === 'found' && !isArchived ? ['found'] : []),
		...(isArchived ? ['archived'] : hasRunning(task) ? ['running'] : []),
	].join('.');
	item.iconPath = new vscode.ThemeIcon(record.origin === 'found' ? 'radio-tower' : 'checklist');
	const notes = [
		record.origin === 'found' ? l10n.t('not started by Nancy') : undefined,
		workers.length > 1 ? l10n.t('{0} workers', workers.length) : undefined,
		unread > 0 ? l10n.t('{0} unread', unread) : undefined,
	];
	item.description = notes.filter(Boolean).join(' · ');
	item.tooltip = tooltip(record.title, [
		[l10n.t('Prompt'), firstLine(record.prompt, 200)],
		[l10n.t('Started'), new Date(record.createdAt).toLocaleString()],
		[l10n.t('Name'), record.name],
	]);
	item.accessibilityInformation = {
		label: [l10n.t('Task {0}', record.title), isArchived ? l10n.t('archived') : '', item.description]
			.filter(Boolean)
			.join(', '),
	};
	return item;
}
