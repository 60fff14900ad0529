import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../base/errors.ts';
import { isRunning } from '../core/driver/launch.ts';
import type { TaskView } from '../core/live/overview.ts';
import { writer } from '../protocol/author.ts';
import type { TaskName } from '../protocol/names.ts';
import { askFilter } from './traffic/askFilter.ts';
import type { Badges } from './badges.ts';
import type { Choices } from './choices.ts';
import { sendTo } from './inbox/composeView.ts';
import type { ContextKeys } from './contextKeys.ts';
import { CONTAINER, VIEWS, WALKTHROUGH, type CommandId } from './contributions.ts';
import { delegateHandlers, type DelegateCollaborators } from './delegates/delegateCommands.ts';
import type { Documents } from './documents.ts';
import type { Failures } from './kit/failures.ts';
import type { Folders } from './folders.ts';
import { isUnread, MailItem, MessageItem, move } from './inbox/inboxView.ts';
import { askLine, pickOne } from './kit/inputs.ts';
import { ask, inform, warn } from './kit/messages.ts';
import { needsOf } from './needs.ts';
import type { Orchestrator } from './tasks/orchestrate.ts';
import { pickFolder, pickTask, pickWorker, workerItems } from './pickers.ts';
import type { Folder, Operations } from './ports.ts';
import { TaskItem, WorkerItem } from './tasks/tasksView.ts';
import { hasRunning } from './tasks/taskOrder.ts';
import { isIdleWithMessages, typeWake } from './tasks/typeWake.ts';
import type { Terminals } from './tasks/terminals.ts';
import { eventsIn, NO_FILTER } from './traffic/trafficFilter.ts';
import { NodeItem, SessionItem, type TrafficView } from './traffic/trafficView.ts';
import { addressWords } from './words.ts';

export interface Collaborators extends DelegateCollaborators {
	orchestrator: Orchestrator;
	terminals: Terminals;
	documents: Documents;
	traffic: TrafficView;
	choices: Choices;
	badges: Badges;
	keys: ContextKeys;
	failures: Failures;
}

type Handler = (args: readonly unknown[]) => Promise<void> | void;

/** What each command does. A command takes the tree item it was called from, or asks. */
export function commandHandlers(own: Collaborators): Readonly<Record<CommandId, Handler>> {
	const { folders, operations, orchestrator, terminals, compose, documents, traffic, choices, badges } = own;

	const taskOf = async ([item]: readonly unknown[], which: (task: TaskView) => boolean, none: string) => {
		if (item instanceof TaskItem) return item;
		if (item instanceof WorkerItem) return new TaskItem(item.folder, item.task);
		return pickTask(folders, which, none);
	};
	const workerOf = async ([item]: readonly unknown[], which: (item: WorkerItem) => boolean, none: string) =>
		item instanceof WorkerItem ? item : pickWorker(folders, each => !isDelegate(each) && which(each), none);
	const isLive = ({ worker }: WorkerItem) => worker.state.phase !== 'ended';
	const isOpen = ({ record }: TaskView) => record.archivedAt === undefined;

	const stop = async (item: WorkerItem): Promise<void> => {
		await operations.stop(item.folder, item.address, () => terminals.close(item));
		await item.folder.refresh();
	};
	const stopAll = (items: readonly WorkerItem[]) => Promise.all(items.map(stop));
	const runningOf = ({ folder, task }: TaskItem) =>
		task.workers.map(worker => new WorkerItem(folder, task, worker)).filter(isLive);
	/** Stops what runs of a task after the user has agreed; a cancellation otherwise. */
	const settle = async (item: TaskItem, question: string, detail: string, button: string): Promise<void> => {
		const running = runningOf(item);
		await confirm(question, detail, button);
		await stopAll(running);
	};

	return {
		...delegateHandlers(own),
		'nancy.orchestrateTask': () => orchestrator.newTask(),
		'nancy.addWorker': async args => {
			const { folder, task } = await taskOf(args, isOpen, noTask());
			await orchestrator.addWorker(folder, task.record.name, task.record.agent);
		},
		'nancy.resumeWorker': async args => {
			const item = await workerOf(args, each => !isLive(each), l10n.t('Every worker is running.'));
			await orchestrator.resume(item.folder, item.address, item.worker.record.agent);
		},
		'nancy.stopWorker': async args => {
			await stop(await workerOf(args, isLive, noWorker()));
		},
		'nancy.stopTask': async args => {
			await stopAll(runningOf(await taskOf(args, hasRunning, noWorker())));
		},
		'nancy.archiveTask': async args => {
			const item = await taskOf(args, isOpen, noTask());
			if (hasRunning(item.task)) {
				const question = l10n.t('Stop the workers of “{0}” and archive it?', item.task.record.title);
				await settle(
					item,
					question,
					l10n.t('Its messages and conversations stay.'),
					l10n.t('Stop and Archive'),
				);
			}
			await operations.archiveTask(item.folder, item.task.record.name);
			await item.folder.refresh();
		},
		'nancy.restoreTask': async args => {
			const item = await taskOf(args, each => !isOpen(each), l10n.t('No task is archived.'));
			await operations.restoreTask(item.folder, item.task.record.name);
			await item.folder.refresh();
		},
		'nancy.deleteTask': async args => {
			const item = await taskOf(args, () => true, noTask());
			const question = l10n.t('Delete the task “{0}”?', item.task.record.title);
			const detail = l10n.t(
				'Its workers are stopped, and its messages and receipts are deleted. The conversations stay with the agent. This cannot be undone.',
			);
			await settle(item, question, detail, l10n.t('Delete'));
			await operations.deleteTask(item.folder, item.task.record.name);
			await item.folder.refresh();
		},
		'nancy.focusTerminal': async args => {
			const item = await workerOf(args, isLive, noWorker());
			badges.seen(item.folder, item.address);
			await terminals.focus(item);
		},
		'nancy.sendMessage': async args => {
			const [called] = args;
			const item = called instanceof WorkerItem ? called : await pickWorker(folders, () => true, noTask());
			const title = l10n.t('Send a Directive to {0}', addressWords(item.address));
			const text = await askLine(title, l10n.t('The agent reads it at its next tool call.'));
			if (text === undefined || text.trim() === '') return;
			await sendTo(operations, [item], { kind: 'directive', priority: 'normal', effect: 'none', text });
		},
		'nancy.typeWake': async ([item]) => {
			const none = l10n.t('No idle worker has a message waiting.');
			const target = item instanceof MessageItem ? workerAt(folders, item) : item;
			await typeWake(folders, terminals, await workerOf([target], isIdleWithMessages, none));
		},
		'nancy.composeMessage': () => compose.open(),
		'nancy.composeTo': ([item]) => (item instanceof WorkerItem ? compose.open([item]) : compose.open()),
		'nancy.copySession': async ([item]) => {
			const session = sessionOf(item);
			if (session !== undefined) await vscode.env.clipboard.writeText(session);
		},
		'nancy.openTranscript': ([item]) => openTranscript(folders, item),
		'nancy.openPayload': async ([item]) => {
			if (item instanceof NodeItem) await documents.openPayload(item);
		},

		'nancy.openMessage': async ([item]) => {
			if (item instanceof MessageItem) await openFile(item.message.file);
			if (!(item instanceof MailItem)) return;
			await openFile(await readMail(operations, item));
		},
		'nancy.editMessage': async ([item]) => {
			if (item instanceof MessageItem) await compose.edit(item);
		},
		'nancy.moveMessageUp': ([item]) => (item instanceof MessageItem ? move(operations, item, -1) : undefined),
		'nancy.moveMessageDown': ([item]) => (item instanceof MessageItem ? move(operations, item, 1) : undefined),
		'nancy.withdrawMessage': async ([item]) => {
			if (!(item instanceof MessageItem)) return;
			await operations.withdraw(item.folder, item.address, item.message.id);
			await item.folder.refresh();
		},
		'nancy.archiveMessage': async ([item]) => {
			if (!(item instanceof MessageItem || item instanceof MailItem)) return;
			await operations.archive(item.folder, item.address, item.message.id);
			await item.folder.refresh();
		},
		'nancy.reply': async ([item]) => {
			if (!(item instanceof MailItem)) return;
			if (isUnread(item) && vscode.workspace.isTrusted) await readMail(operations, item);
			const sender = workerItems(folders).find(
				each =>
					each.folder === item.folder &&
					`${each.address.task}/${each.address.worker}` === writer(item.message.author),
			);
			await compose.open(sender ? [sender] : undefined);
		},

		'nancy.showAttention': async () => {
			const [first] = needsOf(folders).waiting;
			if (first) await terminals.focus(new WorkerItem(first.folder, first.task, first.worker));
			else await vscode.commands.executeCommand(`${VIEWS.inbox}.focus`);
		},
		'nancy.filterTraffic': async () => {
			const sessions = folders.list().flatMap(folder => folder.sessions());
			traffic.filter = await askFilter(traffic.filter, eventsIn(sessions), tasksIn(folders));
		},
		'nancy.clearTrafficFilter': () => {
			traffic.filter = NO_FILTER;
		},
		'nancy.showArchived': () => {
			choices.showsArchived = true;
		},
		'nancy.hideArchived': () => {
			choices.showsArchived = false;
		},

		'nancy.setUp': async () => {
			const folder = await pickFolder(folders);
			const warnings = await operations.setUp(folder);
			const done = l10n.t('Hooks and skills are set up in {0}.', folder.name);
			void inform([done, ...warnings].join(' '));
		},
		'nancy.cleanUp': async () => {
			const folder = await pickFolder(folders);
			const task = await pickWhatToClean(folder);
			// The agents that would go deaf. A session that Nancy only found is stopped for its own task's sake alone.
			const deaf = runningItems(folder).filter(each =>
				task === undefined ? each.task.record.origin === 'nancy' : each.address.task === task,
			);
			await stopAll(deaf);
			const done = await operations.cleanUp(folder, task);
			await folder.refresh();
			void inform(done.length === 0 ? l10n.t('There was nothing to clean up.') : done.join(' '));
		},
		'nancy.doctor': async () => {
			const folder = await pickFolder(folders);
			const report = await operations.doctor(folder, { fix: false });
			await documents.openReport(l10n.t('Nancy Doctor'), report.markdown);
			if (report.repairable === 0 || !vscode.workspace.isTrusted) return;
			const repair = l10n.t('Repair');
			const text =
				report.repairable === 1
					? l10n.t('Doctor can repair one thing.')
					: l10n.t('Doctor can repair {0} things.', report.repairable);
			if ((await warn(text, repair)) !== repair) return;
			const after = await operations.doctor(folder, { fix: true });
			await documents.openReport(l10n.t('Nancy Doctor'), after.markdown);
		},
		'nancy.compareAgents': () => documents.openPage('docs', 'conformance.md'),
		'nancy.showLog': () => own.failures.log.show(),
		'nancy.openWalkthrough': async () => {
			await vscode.commands.executeCommand(
				'workbench.action.openWalkthrough',
				`${CONTAINER}.${CONTAINER}#${WALKTHROUGH}`,
				false,
			);
			// VS Code never completes a step whose key was true already when it first looked at the walkthrough. Every step has
			// this key too, which is set only now.
			own.keys.set('showsWalkthrough', true);
		},
	};
}

function isDelegate({ worker }: WorkerItem): boolean {
	return worker.record.delegate !== undefined;
}

function noTask(): string {
	return l10n.t('There is no task yet. Start one with “Nancy: Orchestrate Task”.');
}

function noWorker(): string {
	return l10n.t('No worker is running.');
}

async function confirm(question: string, detail: string, button: string): Promise<void> {
	const answer = await ask(question, detail, button);
	if (answer !== button) throw new vscode.CancellationError();
}

async function openFile(file: string): Promise<void> {
	await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: true });
}

function workerAt(folders: Folders, { folder, address }: MessageItem): WorkerItem | undefined {
	return workerItems(folders).find(
		each => each.folder === folder && addressWords(each.address) === addressWords(address),
	);
}

function runningItems(folder: Folder): WorkerItem[] {
	return folder
		.overview()
		.tasks.flatMap(task => task.workers.map(worker => new WorkerItem(folder, task, worker)))
		.filter(({ worker }) => isRunning(worker.record));
}

/** Marks a message to the human as read, and says where its file is then. In an untrusted workspace nothing is moved. */
async function readMail(operations: Operations, item: MailItem): Promise<string> {
	if (!isUnread(item) || !vscode.workspace.isTrusted) return item.message.file;
	const file = await operations.readMail(item.folder, item.task, item.message.id);
	await item.folder.refresh();
	return file;
}

function sessionOf(item: unknown): string | undefined {
	if (item instanceof SessionItem) return item.session;
	return item instanceof WorkerItem
		? (item.worker.state.session ?? item.worker.record.sessions.at(-1)?.id)
		: undefined;
}

async function openTranscript(folders: Folders, item: unknown): Promise<void> {
	const session = sessionOf(item);
	const transcript = folders
		.list()
		.flatMap(folder => folder.overview().tasks)
		.flatMap(task => task.workers)
		.flatMap(worker => worker.record.sessions)
		.find(({ id }) => id === session)?.transcript;
	if (transcript === undefined) throw new NancyError('io', l10n.t('The agent has not said where its transcript is.'));
	await openFile(transcript);
}

function tasksIn(folders: Folders): string[] {
	return folders.list().flatMap(folder => folder.overview().tasks.map(({ record }) => record.name));
}

async function pickWhatToClean(folder: Folder): Promise<TaskName | undefined> {
	const everything = {
		label: l10n.t('The whole workspace'),
		detail: l10n.t('Takes back hooks and skills. Tasks and messages stay in .nancy.'),
		task: undefined,
	};
	const tasks = folder
		.overview()
		.tasks.map(({ record }) => ({ label: record.title, detail: record.name, task: record.name }));
	const chosen = await pickOne(l10n.t('Clean up what?'), [everything, ...tasks]);
	if (!chosen) throw new vscode.CancellationError();
	const own = folder
		.overview()
		.tasks.filter(({ record }) => chosen.task === undefined || record.name === chosen.task);
	const isAnyRunning = own.some(hasRunning);
	await confirm(
		chosen.task === undefined
			? l10n.t('Remove what Nancy deployed into {0}?', folder.name)
			: l10n.t('Archive “{0}”, and remove what Nancy deployed for it?', chosen.label),
		isAnyRunning
			? l10n.t('Its running agents are stopped. Files that others have changed keep those changes.')
			: l10n.t('Files that others have changed keep those changes.'),
		l10n.t('Clean Up'),
	);
	return chosen.task;
}
