import { NancyError } from '../../base/errors.ts';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { TaskView } from '../../core/live/overview.ts';
import { workersWorktree } from '../../core/delegates/inWorktree.ts';
import { isSameAddress } from '../../core/workspace/workspace.ts';
import { DelegateItem } from '../delegates/delegatesView.ts';
import type { Folders } from '../folders.ts';
import { MessageItem } from '../inbox/inboxItems.ts';
import type { Interrupt } from '../../core/driver/driver.ts';
import type { ComposeView } from '../inbox/composeView.ts';
import { askLine } from '../kit/inputs.ts';
import { confirm } from '../kit/messages.ts';
import { seeStop } from '../needs/needCommands.ts';
import type { SeenStops } from '../needs/seenStops.ts';
import { noTask, pickTask, pickWorker, workerItems } from '../pickers.ts';
import type { Operations } from '../ports.ts';
import { hasConversation, isLive, isResumable, isUnbegun, resumeWorker, startAgain } from './afterEnd.ts';
import { forkWorker } from './forkWorker.ts';
import { interrupt, isInTurn } from './interrupt.ts';
import type { Orchestrator } from './orchestrate.ts';
import { placeOfDelegate, placeOfTask, setBudget, type BudgetPlace } from './setBudget.ts';
import { askedToStop, stopAll, stopWorker } from './stopWorkers.ts';
import { labelOf } from './taskRows.ts';
import { hasRunning } from './taskOrder.ts';
import { TaskItem, WorkerItem } from './tasksView.ts';
import type { Terminals } from './terminals.ts';
import { isIdleWithMessages, typeWake } from './typeWake.ts';

export interface TaskCollaborators {
	folders: Folders;
	operations: Operations;
	orchestrator: Orchestrator;
	terminals: Terminals;
	seen: SeenStops;
	compose: ComposeView;
	/** The keys that break off a turn of an agent. */
	interruptOf: (agent: string) => Interrupt | 'none';
	agentName: (driver: string) => string;
	canFork: (agent: string) => boolean;
}

type Args = readonly unknown[];

/** The commands for tasks and workers. */
export function taskHandlers(own: TaskCollaborators) {
	return {
		'nancy.orchestrateTask': () => own.orchestrator.newTask(),
		'nancy.startThis': ([called]: Args) => own.orchestrator.startThis(called),
		'nancy.addWorker': (args: Args) => addWorker(own, args),
		'nancy.resumeWorker': async (args: Args) => {
			const none = l10n.t('No worker has ended after it began a conversation.');
			await resumeWorker(own.orchestrator, await workerOf(own, args, isResumable, none));
		},
		'nancy.startAgain': async (args: Args) => {
			const none = l10n.t('No worker has ended before it began.');
			await startAgain(own.orchestrator, await workerOf(own, args, isUnbegun, none));
		},
		'nancy.stopWorker': async (args: Args) => {
			const item = await workerOf(own, args, isLive, noWorker());
			await askedToStop([item]);
			await stopWorker(own, item);
		},
		'nancy.forkWorker': async (args: Args) => {
			const none = l10n.t('No worker has a conversation yet.');
			await forkWorker(own, await workerOf(own, args, hasConversation, none));
		},
		'nancy.interruptWorker': async (args: Args) => {
			const none = l10n.t('No worker is in the middle of a turn.');
			await interrupt(own, await workerOf(own, args, isInTurn, none));
		},
		'nancy.stopTask': async (args: Args) => {
			const running = runningOf(await taskOf(own, args, hasRunning, noWorker()));
			await askedToStop(running);
			await stopAll(own, running);
		},
		'nancy.archiveTask': (args: Args) => archiveTask(own, args),
		'nancy.restoreTask': (args: Args) => restoreTask(own, args),
		'nancy.renameTask': (args: Args) => renameTask(own, args),
		'nancy.setBudget': async (args: Args) => setBudget(own.operations, await budgetPlace(own, args)),
		'nancy.deleteTask': (args: Args) => deleteTask(own, args),
		'nancy.focusTerminal': (args: Args) => focusTerminal(own, args),
		'nancy.typeWake': (args: Args) => wakeByTyping(own, args),
	};
}

async function addWorker(own: TaskCollaborators, args: Args): Promise<void> {
	const { folder, task } = await taskOf(own, args, isOpen, noTask());
	await own.orchestrator.addWorker(folder, task.record);
}

async function archiveTask(own: TaskCollaborators, args: Args): Promise<void> {
	const item = await taskOf(own, args, isOpen, noTask());
	if (hasRunning(item.task)) {
		const question = l10n.t('Stop the workers of “{0}” and archive it?', labelOf(item));
		await confirm(question, l10n.t('Its messages and conversations stay.'), l10n.t('Stop and Archive'));
		await stopAll(own, runningOf(item));
	}
	await own.operations.archiveTask(item.folder, item.task.record.name);
	await item.folder.refresh();
}

async function restoreTask(own: TaskCollaborators, args: Args): Promise<void> {
	const { folder, task } = await taskOf(own, args, each => !isOpen(each), l10n.t('No task is archived.'));
	await own.operations.restoreTask(folder, task.record.name);
	await folder.refresh();
}

async function renameTask(own: TaskCollaborators, args: Args): Promise<void> {
	const { folder, task } = await taskOf(own, args, isOpen, noTask());
	const { name, title: before } = task.record;
	const title = await askLine(l10n.t('Rename Task'), l10n.t('The new title of the task'), {
		value: before,
		empty: l10n.t('Give the task a name.'),
	});
	if (title === undefined || title.trim() === before) return;
	await own.operations.renameTask(folder, name, title);
	await folder.refresh();
	for (const item of workerItems(own.folders))
		if (item.folder === folder && item.address.task === name && isLive(item)) await own.terminals.rename(item);
}

async function budgetPlace(own: TaskCollaborators, args: Args): Promise<BudgetPlace> {
	const [row] = args;
	if (row instanceof DelegateItem) return placeOfDelegate(row);
	return placeOfTask(await taskOf(own, args, isOpen, noTask()));
}

async function deleteTask(own: TaskCollaborators, args: Args): Promise<void> {
	const [called] = args;
	// The key was pressed on the row of a delegate below its worker.
	if (called instanceof DelegateItem)
		return void (await vscode.commands.executeCommand('nancy.deleteDelegate', called));
	const item = await taskOf(own, args, () => true, noTask());
	if (item.task.workers.some(worker => workersWorktree(worker)))
		throw new NancyError('busy', l10n.t('“{0}” has a worktree. Merge or discard it first.', labelOf(item)));
	const question = l10n.t('Delete the task “{0}”?', labelOf(item));
	const detail = l10n.t(
		'Its workers are stopped, and its messages and receipts are deleted. The conversations stay with the agent. This cannot be undone.',
	);
	await confirm(question, detail, l10n.t('Delete'));
	await stopAll(own, runningOf(item));
	await own.operations.deleteTask(item.folder, item.task.record.name);
	await item.folder.refresh();
}

async function focusTerminal(own: TaskCollaborators, args: Args): Promise<void> {
	const item = await workerOf(own, args, isLive, noWorker());
	seeStop(own.seen, item);
	await own.terminals.focus(item);
}

async function wakeByTyping(own: TaskCollaborators, [item]: Args): Promise<void> {
	const { folders, terminals } = own;
	const target = item instanceof MessageItem ? workerAt(folders, item) : item;
	const none = l10n.t('No idle worker has a message waiting.');
	await typeWake(folders, terminals, await workerOf(own, [target], isIdleWithMessages, none));
}

/** The task of the row that the command was called from, or one that the user chooses. A key on a row of no task does nothing. */
async function taskOf(
	own: TaskCollaborators,
	[item]: Args,
	which: (task: TaskView) => boolean,
	none: string,
): Promise<TaskItem> {
	if (item instanceof TaskItem) return item;
	if (item instanceof WorkerItem) return new TaskItem(item.folder, item.task);
	if (item !== undefined) throw new vscode.CancellationError();
	return pickTask(own.folders, which, none);
}

/** The worker of the row, or one that the user chooses. Delegates have commands of their own. */
async function workerOf(
	{ folders }: TaskCollaborators,
	[item]: Args,
	which: (item: WorkerItem) => boolean,
	none: string,
): Promise<WorkerItem> {
	if (item instanceof WorkerItem) return item;
	return pickWorker(folders, each => each.worker.record.delegate === undefined && which(each), none);
}

function workerAt(folders: Folders, { folder, address }: MessageItem): WorkerItem | undefined {
	return workerItems(folders).find(each => each.folder === folder && isSameAddress(each.address, address));
}

function runningOf({ folder, task }: TaskItem): WorkerItem[] {
	return task.workers.map(worker => new WorkerItem(folder, task, worker)).filter(isLive);
}

function isOpen({ record }: TaskView): boolean {
	return record.archivedAt === undefined;
}

function noWorker(): string {
	return l10n.t('No worker is running.');
}
