import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import { isFinal } from '../../core/delegates/delegate.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import { askDelegate, draftOf, type DelegateOrder } from './askDelegate.ts';
import type { ComposeView } from '../inbox/composeView.ts';
import { readResultOf } from '../inbox/mailCommands.ts';
import { VIEWS } from '../contributions.ts';
import type { DelegateCleanup } from './delegateCleanup.ts';
import { outputOf, type DelegateOutputs } from './delegateOutput.ts';
import { DelegateItem, delegateItems, delegatesIn } from './delegatesView.ts';
import { delegateLine, outputChanged } from './delegateWords.ts';
import type { ExecutorOperations } from '../executors/executorPorts.ts';
import type { Folders } from '../folders.ts';
import { confirm, warn } from '../kit/messages.ts';
import { openFile } from '../kit/openFile.ts';
import { inProgress } from '../kit/progress.ts';
import { pickFolder, pickItem, reachable } from '../pickers.ts';
import type { Folder } from '../ports.ts';
import { reviewHandlers, type ReviewCollaborators } from './reviewCommands.ts';
import { TaskItem, WorkerItem } from '../tasks/tasksView.ts';
import { PromptNeedsEditor } from '../start/askPrompt.ts';
import type { Presets } from '../start/presets.ts';
import { promptDocument, type PromptEditors } from '../start/promptEditors.ts';
import type { StartMemory } from '../start/startMemory.ts';
import { startOrKeep } from './startDelegates.ts';
import { stopEach } from './stopEach.ts';

export interface DelegateCollaborators extends ReviewCollaborators {
	outputs: DelegateOutputs;
	cleanup: DelegateCleanup;
	drafts: PromptEditors<DelegateOrder>;
	compose: ComposeView;
	memory: StartMemory;
	presets: Presets;
	executors: ExecutorOperations;
}

type Args = readonly unknown[];

/** The commands for delegates. A command takes the row it was called from, or asks. */
export function delegateHandlers(own: DelegateCollaborators) {
	const { folders, comments, cleanup, drafts } = own;
	return {
		'nancy.delegate': (args: Args) => delegate(own, args),
		'nancy.writePrompt': async (args: Args) => drafts.write(await orderFrom(folders, args), ''),
		'nancy.delegateThis': (args: Args) => delegateThis(own, args),
		'nancy.delegateAgain': (args: Args) => delegateAgain(own, args),
		'nancy.showDelegateOutput': (args: Args) => showOutput(own, args),
		'nancy.stopDelegate': (args: Args) => stop(own, args),
		'nancy.resumeDelegate': (args: Args) => resume(own, args),
		'nancy.openDelegateLog': async (args: Args) => openFirst(await anyOf(own, args), ['log']),
		'nancy.openDelegatePrompt': async (args: Args) => openFirst(await anyOf(own, args), ['prompt']),
		'nancy.openDelegateAnswer': (args: Args) => openAnswer(own, args),
		'nancy.copyDelegate': async (args: Args) =>
			vscode.env.clipboard.writeText((await anyOf(own, args)).delegate.record.id),
		'nancy.messageDelegate': (args: Args) => message(own, args),
		...reviewHandlers(own),
		'nancy.deleteDelegate': (args: Args) => deleteChosen(own, args),
		'nancy.clearDelegates': () => cleanup.clearEnded(),
		'nancy.addComment': ([reply]: Args) => comments.add(reply),
		'nancy.deleteComment': ([comment]: Args) => comments.remove(comment),
	};
}

async function delegate(own: DelegateCollaborators, args: Args): Promise<void> {
	const order = await orderFrom(own.folders, args);
	await askAndStart(own, order).catch(async (error: unknown) => {
		if (!(error instanceof PromptNeedsEditor)) throw error;
		await own.drafts.write(order, error.text);
		await own.memory.keepDraft(draftOf(order), '');
	});
}

/** The prompt is the text of a document. */
async function delegateThis(own: DelegateCollaborators, [called]: Args): Promise<void> {
	const { folders, drafts } = own;
	const { document, text } = await promptDocument(called);
	const order = drafts.orderOf(document) ?? (await orderFrom(folders, [document.uri]));
	await askAndStart(own, { ...order, withSelection: false }, { text, document });
	await drafts.close(document, text);
}

async function askAndStart(
	{ operations, executors, drafts, memory, presets }: DelegateCollaborators,
	order: DelegateOrder,
	written?: { text: string; document: vscode.TextDocument },
): Promise<void> {
	const { folder } = order;
	const [agents, known, isolation] = await Promise.all([
		operations.agents(),
		executors.list(folder),
		operations.delegates.isolation(folder),
	]);
	const machines = known.filter(({ from }) => from === 'settings');
	const question = { order, written: written?.text, agents, machines, isolation, memory, presets };
	const { requests, choice } = await askDelegate(question);
	const start = { order, requests, choice, agents, document: written?.document };
	await startOrKeep({ delegates: operations.delegates, drafts, memory }, start);
}

async function delegateAgain(own: DelegateCollaborators, args: Args): Promise<void> {
	const { folder, delegate } = await anyOf(own, args);
	await own.operations.delegates.repeat(folder, delegate.record.id);
	await folder.refresh();
}

async function showOutput(own: DelegateCollaborators, args: Args): Promise<void> {
	const item = await anyOf(own, args);
	// VS Code asks for trust before it opens a terminal. A click on a row must not cause that question.
	if (vscode.workspace.isTrusted) own.outputs.show(item, storeOf(item.folder));
	else await openFirst(item, ['log', 'output', 'prompt'], true);
	await readResultOf(own.operations, item);
}

async function openAnswer(own: DelegateCollaborators, args: Args): Promise<void> {
	const item = await anyOf(own, args);
	await openFirst(item, ['output']);
	await readResultOf(own.operations, item);
}

async function stop(own: DelegateCollaborators, args: Args): Promise<void> {
	const { operations } = own;
	const called = chosenFrom(args);
	const chosen = called.filter(isOpen);
	// No other one is stopped in its place.
	if (called.length > 0 && chosen.length === 0) throw new NancyError('wrong-state', l10n.t('It has ended already.'));
	const items = chosen.length > 0 ? chosen : [await pickDelegate(own, isOpen, noneRuns())];
	await confirmStop(items);
	await inProgress(VIEWS.delegates, () =>
		stopEach(items, ({ folder, delegate: { record } }) => operations.delegates.stop(folder, record.id)),
	);
}

/** A run that has begun cannot be continued once it was stopped. */
async function confirmStop(items: readonly DelegateItem[]): Promise<void> {
	const [only, ...others] = items.filter(({ delegate }) => delegate.state !== 'queued');
	if (!only) return;
	const question =
		others.length === 0
			? l10n.t('Stop the delegate “{0}”?', only.fullLabel)
			: l10n.t('Stop {0} delegates?', others.length + 1);
	const detail = l10n.t('A stopped delegate cannot be resumed. The files that it has changed stay as they are.');
	await confirm(question, detail, l10n.t('Stop'));
}

/** A key on a row of no delegate does nothing. */
async function deleteChosen({ cleanup }: DelegateCollaborators, args: Args): Promise<void> {
	const items = chosenFrom(args);
	if (items.length > 0) await cleanup.delete(items);
}

/** For the agents of the chosen rows, or for all. */
async function resume({ folders, operations }: DelegateCollaborators, args: Args): Promise<void> {
	const items = chosenFrom(args);
	const waiting =
		items.length > 0
			? items.map(({ folder, delegate: { record } }) => ({ folder, agent: record.agent }))
			: folders.list().map(folder => ({ folder, agent: undefined }));
	let resumed = 0;
	for (const { folder, agent } of waiting) resumed += await operations.delegates.resume(folder, agent);
	if (items.length === 0 && resumed === 0)
		throw new NancyError('no-task', l10n.t('No delegate waits for an account’s limit.'));
}

async function message(own: DelegateCollaborators, args: Args): Promise<void> {
	const { folder, delegate: running } = await delegateOf(own, args, isOpen, noneRuns());
	const { task, worker } = running.record;
	await own.compose.open([reachable(own.folders, folder, `${task}/${worker}`)]);
}

/** Opens the first of these files that exists. */
async function openFirst(
	{ folder, delegate }: DelegateItem,
	endings: readonly ('log' | 'prompt' | 'output')[],
	preserveFocus = false,
): Promise<void> {
	const { files } = delegate;
	const file = endings.map(ending => files[ending]).find(each => existsSync(each));
	if (file === undefined) throw new NancyError('io', l10n.t('There is nothing to open yet.'));
	await openFile(file, preserveFocus);
	const isAnswer = file === files.output && isFinal(delegate.state);
	if (isAnswer && (await outputOf(storeOf(folder), delegate)) === undefined) void warn(outputChanged());
}

function anyOf(own: DelegateCollaborators, args: Args): Promise<DelegateItem> {
	return delegateOf(own, args, () => true, l10n.t('There is no delegate yet. Start one with “Nancy: Delegate…”.'));
}

/** The delegate of the row that the command was called from, or one that the user chooses. */
async function delegateOf(
	own: DelegateCollaborators,
	[item]: Args,
	which: (item: DelegateItem) => boolean,
	none: string,
): Promise<DelegateItem> {
	return item instanceof DelegateItem ? item : pickDelegate(own, which, none);
}

function noneRuns(): string {
	return l10n.t('No delegate is running.');
}

/** The delegates of the rows that a command was called from. If several rows are selected, it is all of them. */
function chosenFrom([called, all]: readonly unknown[]): DelegateItem[] {
	const rows: readonly unknown[] = Array.isArray(all) ? all : [called];
	const items = rows.flatMap(delegatesIn);
	return items.filter((item, at) => items.findIndex(({ delegate }) => delegate === item.delegate) === at);
}

/** If the command was called from a worker's row, that worker gets the result. Otherwise the human gets it. */
async function orderFrom(folders: Folders, [item]: readonly unknown[]): Promise<DelegateOrder> {
	if (item instanceof WorkerItem) return { folder: item.folder, parent: item.address, withSelection: false };
	if (item instanceof TaskItem) {
		const parent = { task: item.task.record.name, worker: ORCHESTRATOR };
		return { folder: item.folder, parent, withSelection: false };
	}
	const file = item instanceof vscode.Uri ? item : vscode.window.activeTextEditor?.document.uri;
	const around = folders.list().filter(({ path }) => file?.scheme === 'file' && isInside(path, file.fsPath));
	// One folder of a workspace may be inside another one.
	const [innermost] = around.toSorted((one, other) => other.path.length - one.path.length);
	const folder = innermost ?? (await pickFolder(folders));
	return { folder, parent: undefined, withSelection: item instanceof vscode.Uri };
}

async function pickDelegate(
	{ folders, agentName }: DelegateCollaborators,
	which: (item: DelegateItem) => boolean,
	none: string,
): Promise<DelegateItem> {
	const rows = folders
		.list()
		.flatMap(folder => delegateItems(folder, agentName))
		.filter(which)
		.map(value => ({
			label: value.fullLabel,
			description: delegateLine(value.delegate),
			value,
		}));
	return pickItem(rows, l10n.t('Which delegate?'), none);
}

function storeOf({ workspace }: Folder): Delegates {
	return new Delegates(workspace);
}

function isOpen({ delegate }: DelegateItem): boolean {
	return !isFinal(delegate.state) && !delegate.isForeign;
}
