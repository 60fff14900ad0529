import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isRunning } from '../core/workspace/workerLife.ts';
import type { TaskName } from '../protocol/names.ts';
import type { ContextKeys } from './contextKeys.ts';
import { CONTAINER, WALKTHROUGH } from './contributions.ts';
import type { Documents } from './documents.ts';
import type { Folders } from './folders.ts';
import type { Failures } from './kit/failures.ts';
import { firstLine } from './kit/format.ts';
import { pickOne } from './kit/inputs.ts';
import { confirm, inform, warn } from './kit/messages.ts';
import { pickFolder } from './pickers.ts';
import { taskLabels } from './tasks/taskLabels.ts';
import type { Folder, Operations } from './ports.ts';
import { stopAll } from './tasks/stopWorkers.ts';
import { hasRunning } from './tasks/taskOrder.ts';
import { WorkerItem } from './tasks/tasksView.ts';
import type { Terminals } from './tasks/terminals.ts';

export interface SetUpCollaborators {
	folders: Folders;
	operations: Operations;
	terminals: Terminals;
	documents: Documents;
	keys: ContextKeys;
	failures: Failures;
}

/** The commands for the deployment and for help. */
export function setUpHandlers(own: SetUpCollaborators) {
	return {
		'nancy.setUp': () => setUp(own),
		'nancy.cleanUp': () => cleanUp(own),
		'nancy.doctor': () => doctor(own),
		'nancy.compareAgents': () => own.documents.openPage('docs', 'conformance.md'),
		'nancy.showLog': () => own.failures.log.show(),
		'nancy.openWalkthrough': () => openWalkthrough(own),
	};
}

async function setUp({ folders, operations }: SetUpCollaborators): Promise<void> {
	const folder = await pickFolder(folders);
	const { isDone, says } = await operations.setUp(folder);
	if (!isDone) return void warn(says.join(' '));
	const done = l10n.t('Hooks and skills are set up in {0}.', folder.name);
	void inform([done, ...says].join(' '));
}

async function cleanUp(own: SetUpCollaborators): Promise<void> {
	const folder = await pickFolder(own.folders);
	const task = await pickWhatToClean(folder);
	// The agents that would lose their hooks. A session that Nancy only found is stopped only with its own task.
	const stopped = runningItems(folder).filter(each =>
		task === undefined ? each.task.record.origin === 'nancy' : each.address.task === task,
	);
	await stopAll(own, stopped);
	const done = await own.operations.cleanUp(folder, task);
	await folder.refresh();
	void inform(done.length === 0 ? l10n.t('There was nothing to clean up.') : done.join(' '));
}

async function doctor({ folders, operations, documents }: SetUpCollaborators): Promise<void> {
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
}

async function openWalkthrough({ keys }: SetUpCollaborators): Promise<void> {
	await vscode.commands.executeCommand(
		'workbench.action.openWalkthrough',
		`${CONTAINER}.${CONTAINER}#${WALKTHROUGH}`,
		false,
	);
	// If a step's key is true when VS Code first looks at the walkthrough, VS Code never completes the step. So every step also needs this
	// key, which is set only now.
	keys.set('showsWalkthrough', true);
}

function runningItems(folder: Folder): WorkerItem[] {
	return folder
		.overview()
		.tasks.flatMap(task => task.workers.map(worker => new WorkerItem(folder, task, worker)))
		.filter(({ worker }) => isRunning(worker.record));
}

async function pickWhatToClean(folder: Folder): Promise<TaskName | undefined> {
	const everything = {
		label: l10n.t('The whole workspace'),
		detail: l10n.t('Takes back hooks and skills. Tasks and messages stay in .nancy.'),
		task: undefined,
	};
	const labels = taskLabels(folder.overview().tasks);
	const tasks = folder.overview().tasks.map(({ record }) => ({
		label: labels.get(record.name) ?? record.title,
		detail: firstLine(record.prompt),
		task: record.name,
	}));
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
