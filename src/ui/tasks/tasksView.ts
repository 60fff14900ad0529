import type * as vscode from 'vscode';
import { isFinal } from '../../core/delegates/delegate.ts';
import type { TaskView, WorkerView } from '../../core/live/overview.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import type { WorkerAddress } from '../../core/workspace/workspace.ts';
import type { Choices } from '../choices.ts';
import {
	changedFileHover,
	ChangedFileItem,
	changedFileRow,
	changedFilesIn,
	ChangedFilesItem,
	changedFilesRow,
	MoreFilesItem,
	moreFilesRow,
	type ChangedFileElement,
} from '../delegates/changedFiles.ts';
import { changesOfWorker, isInFolder } from '../delegates/changesOf.ts';
import { DelegateItem, type DelegatesView } from '../delegates/delegatesView.ts';
import { delegateLabels } from '../delegates/delegateWords.ts';
import { NO_CHANGES, type KnownChanges, type ShownChanges } from '../delegates/knownChanges.ts';
import type { Folders } from '../folders.ts';
import { Held } from '../kit/held.ts';
import { touchesOf } from '../kit/presence.ts';
import type { Folder } from '../ports.ts';
import { LiveTree, type TreeNode } from '../kit/liveTree.ts';
import { ProblemItem } from '../kit/problemItem.ts';
import type { Row } from '../kit/row.ts';
import { arrange, groupOf, type Group } from './taskGroups.ts';
import { isShown, workersOf } from './taskOrder.ts';
import { archivedRow, folderRow, groupRow, taskHover, taskRow } from './taskRows.ts';
import { workerHover, workerKey, workerRow, type AgentNames } from './workerRows.ts';

export class FolderItem {
	constructor(readonly folder: Folder) {}
}

/** A task by itself: archived, with several workers or with none. */
export class TaskItem {
	constructor(
		readonly folder: Folder,
		readonly task: TaskView,
	) {}
}

/** A worker. The only worker of a task has one row with it. */
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

/** Tasks in the same state, if the user wants them grouped. */
export class GroupItem {
	constructor(
		readonly folder: Folder,
		readonly group: Group,
		readonly tasks: readonly TaskView[],
	) {}
}

export class ArchivedItem {
	constructor(
		readonly folder: Folder,
		readonly tasks: readonly TaskView[],
	) {}
}

type TaskElement =
	| FolderItem
	| GroupItem
	| TaskItem
	| WorkerItem
	| DelegateItem
	| ChangedFilesItem
	| ChangedFileElement
	| ArchivedItem
	| ProblemItem;

/** Rows show whole minutes. In groups, a row also moves only some seconds after the view was touched. */
const TICK_MS = 5000;

/** How many ended delegates stand below a worker. The Delegates view has all. */
const ENDED_SHOWN = 10;

/** Tasks with their workers and what each is doing. Maps what the folders know; asks nothing of the disk. */
export class TasksView extends LiveTree<TaskElement> {
	private readonly presence: ReturnType<typeof touchesOf>;
	private readonly heldGroups: Held<Group>;
	private readonly heldChanges: Held<ShownChanges>;
	private readonly choosing: { dispose(): void };
	private readonly openedMs = Date.now();

	constructor(
		private readonly folders: Folders,
		view: vscode.TreeView<unknown>,
		private readonly choices: Choices,
		private readonly names: AgentNames,
		private readonly delegates: Pick<DelegatesView, 'delegateItem' | 'hoverOf' | 'filesOf'>,
		private readonly known: KnownChanges,
		private readonly canFork: (agent: string) => boolean,
	) {
		super(view, TICK_MS, folders.onDidChange, choices.onDidChange, known.onDidChange);
		this.presence = touchesOf(view);
		const { touches } = this.presence;
		this.heldGroups = new Held(touches);
		this.heldChanges = new Held(touches);
		this.choosing = choices.onDidChange(() => touches.release());
	}

	/** The user is in the view: see {@link Held}. */
	touch(): void {
		this.presence.touches.touch();
	}

	override resolveTreeItem(item: vscode.TreeItem, node: TreeNode<TaskElement>): vscode.TreeItem {
		this.touch();
		return super.resolveTreeItem(item, node);
	}

	override dispose(): void {
		this.choosing.dispose();
		this.presence.following.dispose();
		super.dispose();
	}

	protected childrenOf(parent: TaskElement | undefined): TaskElement[] {
		if (parent === undefined) {
			const [only, ...others] = this.folders.list();
			if (only === undefined) return [];
			return others.length === 0 ? this.tasksOf(only) : this.folders.list().map(each => new FolderItem(each));
		}
		if (parent instanceof FolderItem) return this.tasksOf(parent.folder);
		if (parent instanceof GroupItem) return parent.tasks.map(task => itemFor(parent.folder, task));
		if (parent instanceof TaskItem)
			return workersOf(parent.task.workers).map(worker => new WorkerItem(parent.folder, parent.task, worker));
		if (parent instanceof WorkerItem) return this.belowWorker(parent);
		if (parent instanceof DelegateItem) return this.delegates.filesOf(parent, this.hold);
		if (parent instanceof ChangedFilesItem) return changedFilesIn(parent.list);
		if (parent instanceof ArchivedItem) return parent.tasks.map(task => new TaskItem(parent.folder, task));
		return [];
	}

	protected itemOf(element: TaskElement): Row {
		if (element instanceof WorkerItem)
			return workerRow(element, {
				names: this.names,
				delegates: delegatesOf(element, this.names),
				isTask: isWholeTask(element),
				canFork: this.canFork(element.worker.record.agent),
				changes: this.changesOf(element),
				listed: this.listedOf(element),
			});
		if (element instanceof TaskItem) return taskRow(element);
		if (element instanceof DelegateItem) return this.delegates.delegateItem(element, this.hold);
		if (element instanceof GroupItem) return groupRow(element);
		if (element instanceof ChangedFilesItem) return changedFilesRow(element);
		if (element instanceof ChangedFileItem) return changedFileRow(element);
		if (element instanceof MoreFilesItem) return moreFilesRow(element);
		if (element instanceof ProblemItem) return element.treeItem();
		return element instanceof FolderItem ? folderRow(element) : archivedRow(element);
	}

	protected hoverOf(element: TaskElement): vscode.MarkdownString | undefined {
		if (element instanceof WorkerItem) return workerHover(element, this.names, this.changesOf(element));
		if (element instanceof TaskItem) return taskHover(element);
		if (element instanceof ChangedFileItem) return changedFileHover(element);
		return element instanceof DelegateItem ? this.delegates.hoverOf(element) : undefined;
	}

	/** Its delegates, then one row for its changed files: a worker with a delegate at work is open, and its files would fill the view. */
	private belowWorker(element: WorkerItem): TaskElement[] {
		const delegates = delegatesOf(element, this.names);
		const of = changesOfWorker(element.task, element.worker);
		const changes = this.listedOf(element);
		const key = `${workerKey(element, isWholeTask(element))}//:changes`;
		if (!of || changes.files.length === 0) return [...delegates];
		return [...delegates, new ChangedFilesItem({ owner: element, key, of, changes }, delegates.length === 0)];
	}

	/** The changes that are listed below a worker's row. */
	private listedOf(element: WorkerItem): ShownChanges {
		if (!changesOfWorker(element.task, element.worker)) return NO_CHANGES;
		return this.hold(workerKey(element, isWholeTask(element)), this.changesOf(element) ?? NO_CHANGES);
	}

	private readonly hold = (key: string, changes: ShownChanges) =>
		this.heldChanges.of(key, changes, this.isListed(key));

	/**
	 * For the worker's own worktree, git is asked again once a tool call or the turn has ended. For the folder itself, git is asked again
	 * once a turn of the task has ended. Turns of a worker that had ended before do not count: later changes by others are not its work.
	 */
	private changesOf({ folder, task, worker, address }: WorkerItem): ShownChanges | undefined {
		const of = changesOfWorker(task, worker);
		if (!of) return undefined;
		const { state, turnEndedAt = '' } = worker;
		const mark = state.phase === 'working' ? state.at : `${state.phase} ${turnEndedAt}`;
		return 'worktree' in of
			? this.known.of(folder, of, mailboxName(address), mark)
			: this.known.of(folder, of, task.record.name, this.endsOf(task));
	}

	/** The ends of turns of the task's workers in the folder that this window has seen. */
	private endsOf(task: TaskView): string | undefined {
		const ends = workersOf(task.workers)
			.filter(isInFolder)
			.filter(({ state: { phase, since } }) =>
				phase === 'ended' ? Date.parse(since) >= this.openedMs : phase === 'idle',
			)
			.map(({ record, state }) => `${record.name} ${state.since}`);
		return ends.length === 0 ? undefined : ends.join();
	}

	private tasksOf(folder: Folder): TaskElement[] {
		const { tasks, problems } = folder.overview();
		const archived = tasks.filter(({ record }) => record.archivedAt !== undefined);
		const shownAs = (task: TaskView) => this.heldGroups.of(`${folder.path}//${task.record.name}`, groupOf(task));
		const arranged = arrange(tasks, this.choices.tasks, shownAs).flatMap<TaskElement>(({ group, tasks: all }) => {
			const own = all.filter(isShown);
			if (group !== undefined) return own.length > 0 ? [new GroupItem(folder, group, own)] : [];
			return own.map(task => itemFor(folder, task));
		});
		return [
			...arranged,
			...problems.map(problem => new ProblemItem(problem)),
			...(this.choices.tasks.showsArchived && archived.length > 0 ? [new ArchivedItem(folder, archived)] : []),
		];
	}
}

/** Every worker of a folder's tasks, without delegates. */
export function workersIn(folder: Folder): WorkerItem[] {
	return folder
		.overview()
		.tasks.flatMap(task => workersOf(task.workers).map(worker => new WorkerItem(folder, task, worker)));
}

/** A task with one worker is one row. */
function itemFor(folder: Folder, task: TaskView): TaskItem | WorkerItem {
	const [only, ...others] = workersOf(task.workers);
	return only && others.length === 0 ? new WorkerItem(folder, task, only) : new TaskItem(folder, task);
}

/** Whether the worker's row is its task's, too. */
function isWholeTask({ task }: WorkerItem): boolean {
	return task.record.archivedAt === undefined && workersOf(task.workers).length === 1;
}

/** By the worker that gets the result. An overview's tasks are the same list until something has changed. */
const byParent = new WeakMap<readonly TaskView[], ReadonlyMap<string, DelegateItem[]>>();

/** The delegates whose result the worker gets, newest first. */
function delegatesOf({ folder, address }: WorkerItem, names: AgentNames): readonly DelegateItem[] {
	const { tasks } = folder.overview();
	const known = byParent.get(tasks) ?? itemsByParent(folder, names);
	byParent.set(tasks, known);
	return known.get(mailboxName(address)) ?? [];
}

function itemsByParent(folder: Folder, names: AgentNames): ReadonlyMap<string, DelegateItem[]> {
	const items = new Map<string, DelegateItem[]>();
	const all = folder.delegates();
	const labels = delegateLabels(all, driver => names.full(driver));
	const ended = new Map<string, number>();
	for (const delegate of all.toReversed()) {
		if (!delegate.record.parent) continue;
		const parent = mailboxName(delegate.record.parent);
		const count = (ended.get(parent) ?? 0) + Number(isFinal(delegate.state));
		ended.set(parent, count);
		if (isFinal(delegate.state) && count > ENDED_SHOWN) continue;
		const own = items.get(parent) ?? [];
		own.push(new DelegateItem(folder, delegate, labels.full(delegate)));
		items.set(parent, own);
	}
	return items;
}
