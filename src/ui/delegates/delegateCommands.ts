import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import { isFinal } from '../../core/delegates/delegate.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { standingWorktree } from '../../core/delegates/inWorktree.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import { askDelegate, PromptNeedsEditor, type DelegateOrder } from './askDelegate.ts';
import type { ComposeView } from '../inbox/composeView.ts';
import { VIEWS, type CommentCommand } from '../contributions.ts';
import type { DelegateCleanup } from './delegateCleanup.ts';
import type { DelegateDrafts } from './delegateDrafts.ts';
import type { DelegateOutputs } from './delegateOutput.ts';
import { DelegateItem, delegatesIn, inListOrder } from './delegatesView.ts';
import { delegateLine, shortTitle } from './delegateWords.ts';
import type { Folders } from '../folders.ts';
import { inProgress } from '../kit/progress.ts';
import { pickFolder, pickItem } from '../pickers.ts';
import type { Folder, Operations } from '../ports.ts';
import type { ReviewComments } from './reviewComments.ts';
import type { Reviews } from './reviews.ts';
import { TaskItem, WorkerItem } from '../tasks/tasksView.ts';
import { startOrKeep } from './startDelegates.ts';
import { stopEach } from './stopEach.ts';

export interface DelegateCollaborators {
	folders: Folders;
	operations: Operations;
	outputs: DelegateOutputs;
	reviews: Reviews;
	comments: ReviewComments;
	cleanup: DelegateCleanup;
	drafts: DelegateDrafts;
	/** The rows of the view that are selected, for a key. */
	selected: () => readonly unknown[];
	compose: ComposeView;
	memory: vscode.Memento;
}

type DelegateCommand =
	| 'nancy.delegate'
	| 'nancy.writePrompt'
	| 'nancy.delegateThis'
	| 'nancy.deleteDelegate'
	| 'nancy.clearDelegates'
	| 'nancy.showDelegateOutput'
	| 'nancy.stopDelegate'
	| 'nancy.resumeDelegate'
	| 'nancy.reviewDelegate'
	| 'nancy.sendBack'
	| 'nancy.messageDelegate'
	| 'nancy.openDelegateLog'
	| 'nancy.openDelegatePrompt'
	| 'nancy.openDelegateAnswer'
	| 'nancy.delegateAgain'
	| 'nancy.copyDelegate'
	| 'nancy.mergeDelegate'
	| 'nancy.openDelegateWorktree'
	| 'nancy.discardDelegate'
	| CommentCommand;
type Handler = (args: readonly unknown[]) => Promise<void> | void;

/** What each command for delegates does. A command takes the row it was called from, or asks. */
export function delegateHandlers(own: DelegateCollaborators): Readonly<Record<DelegateCommand, Handler>> {
	const { folders, operations, outputs, reviews, comments, cleanup, compose, drafts } = own;

	const delegateOf = async (
		[item]: readonly unknown[],
		which: (item: DelegateItem) => boolean,
		none: string,
	): Promise<DelegateItem> => (item instanceof DelegateItem ? item : pickDelegate(folders, which, none));
	const anyOf = (args: readonly unknown[]) =>
		delegateOf(args, () => true, l10n.t('There is no delegate yet. Start one with “Nancy: Delegate…”.'));
	const reviewable = (args: readonly unknown[]) =>
		delegateOf(args, hasWorktree, l10n.t('No delegate has a worktree of its own.'));
	const openFirst = async (
		{ delegate }: DelegateItem,
		endings: readonly ('log' | 'prompt' | 'output')[],
		preserveFocus = false,
	) => {
		const file = endings.map(ending => delegate.files[ending]).find(each => existsSync(each));
		if (file === undefined) throw new NancyError('io', l10n.t('There is nothing to open yet.'));
		await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: true, preserveFocus });
	};
	const askAndStart = async (
		order: DelegateOrder,
		written?: { text: string; document: vscode.TextDocument },
	): Promise<void> => {
		const agents = await operations.agents();
		const { requests, choice } = await askDelegate(order, written?.text, agents, own.memory);
		const start = { order, requests, choice, agents, document: written?.document };
		await startOrKeep({ delegates: operations.delegates, drafts }, start);
	};

	return {
		'nancy.delegate': async args => {
			const order = await orderFrom(folders, args);
			await askAndStart(order).catch((error: unknown) => {
				if (error instanceof PromptNeedsEditor) return drafts.write(order, error.text);
				throw error;
			});
		},
		'nancy.writePrompt': async args => drafts.write(await orderFrom(folders, args), ''),
		'nancy.delegateThis': async ([called]) => {
			const document =
				called instanceof vscode.Uri
					? await vscode.workspace.openTextDocument(called)
					: vscode.window.activeTextEditor?.document;
			const text = document?.getText() ?? '';
			if (!document || text.trim() === '')
				throw new NancyError('bad-message', l10n.t('Write into an editor what is to be done first.'));
			const order = drafts.orderOf(document) ?? (await orderFrom(folders, [document.uri]));
			await askAndStart({ ...order, withSelection: false }, { text, document });
			await drafts.close(document, text);
		},
		'nancy.delegateAgain': async args => {
			const { folder, delegate } = await anyOf(args);
			await operations.delegates.repeat(folder, delegate.record.id);
			await folder.refresh();
		},
		'nancy.showDelegateOutput': async args => {
			const item = await anyOf(args);
			// A terminal, even one that only shows text, has VS Code ask for trust: too much for a click on a row.
			if (vscode.workspace.isTrusted) outputs.show(item, storeOf(item.folder));
			else await openFirst(item, ['log', 'output', 'prompt'], true);
		},
		'nancy.stopDelegate': async args => {
			const none = l10n.t('No delegate is running.');
			const chosen = chosenFrom(args).filter(isOpen);
			const items = chosen.length > 0 ? chosen : [await pickDelegate(folders, isOpen, none)];
			await inProgress(VIEWS.delegates, () =>
				stopEach(items, ({ folder, delegate }) => operations.delegates.stop(folder, delegate.record.id)),
			);
		},
		'nancy.resumeDelegate': async args => {
			const items = chosenFrom(args);
			const waiting =
				items.length > 0
					? items.map(({ folder, delegate }) => ({ folder, agent: delegate.record.agent }))
					: folders.list().map(folder => ({ folder, agent: undefined }));
			let resumed = 0;
			for (const { folder, agent } of waiting) resumed += await operations.delegates.resume(folder, agent);
			if (items.length === 0 && resumed === 0)
				throw new NancyError('no-task', l10n.t('No delegate waits for an account’s limit.'));
		},
		'nancy.openDelegateLog': async args => openFirst(await anyOf(args), ['log']),
		'nancy.openDelegatePrompt': async args => openFirst(await anyOf(args), ['prompt']),
		'nancy.openDelegateAnswer': async args => openFirst(await anyOf(args), ['output']),
		'nancy.copyDelegate': async args => {
			await vscode.env.clipboard.writeText((await anyOf(args)).delegate.record.id);
		},
		'nancy.messageDelegate': async args => {
			const { folder, delegate } = await delegateOf(args, isOpen, l10n.t('No delegate is running.'));
			const { task, worker } = delegate.record;
			const view = folder
				.overview()
				.tasks.flatMap(({ workers }) => workers)
				.find(({ record }) => record.task === task && record.name === worker);
			await compose.open(view && [{ folder, address: { task, worker }, worker: view }]);
		},

		'nancy.reviewDelegate': async args => reviews.open(await reviewable(args)),
		'nancy.mergeDelegate': async args => reviews.merge(await reviewable(args)),
		'nancy.openDelegateWorktree': async args => reviews.openWorktree(await reviewable(args)),
		'nancy.discardDelegate': async args => reviews.discard(await reviewable(args)),
		'nancy.deleteDelegate': args =>
			cleanup.delete(chosenFrom(args.length > 0 ? args : [undefined, own.selected()])),
		'nancy.clearDelegates': () => cleanup.clearEnded(),
		'nancy.sendBack': async args => {
			const commented = comments.delegateOf(args[0]);
			const [only, ...others] = comments.waiting();
			const isCalledFromRow = args[0] instanceof DelegateItem;
			const known = commented ?? (!isCalledFromRow && others.length === 0 ? only : undefined);
			await comments.sendBack(known ?? (await reviewable(args)));
		},
		'nancy.addComment': ([reply]) => comments.add(reply),
		'nancy.deleteComment': ([comment]) => comments.remove(comment),
	};
}

/** The delegates of the rows that a command was called from: of all selected ones where several are. */
function chosenFrom([called, all]: readonly unknown[]): DelegateItem[] {
	const rows: readonly unknown[] = Array.isArray(all) ? all : [called];
	const items = rows.flatMap(delegatesIn);
	return items.filter((item, at) => items.findIndex(({ delegate }) => delegate === item.delegate) === at);
}

/** From a worker's row the result goes to that worker, else to the human. */
async function orderFrom(folders: Folders, [item]: readonly unknown[]): Promise<DelegateOrder> {
	if (item instanceof WorkerItem) return { folder: item.folder, parent: item.address, withSelection: false };
	if (item instanceof TaskItem) {
		const parent = { task: item.task.record.name, worker: ORCHESTRATOR };
		return { folder: item.folder, parent, withSelection: false };
	}
	const file = item instanceof vscode.Uri ? item : vscode.window.activeTextEditor?.document.uri;
	const around = folders.list().find(({ path }) => file?.scheme === 'file' && isInside(path, file.fsPath));
	const folder = around ?? (await pickFolder(folders));
	return { folder, parent: undefined, withSelection: item instanceof vscode.Uri };
}

async function pickDelegate(
	folders: Folders,
	which: (item: DelegateItem) => boolean,
	none: string,
): Promise<DelegateItem> {
	const rows = folders
		.list()
		.flatMap(folder => inListOrder(folder.delegates()).map(delegate => new DelegateItem(folder, delegate)))
		.filter(which)
		.map(value => ({
			label: shortTitle(value.delegate),
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

function hasWorktree({ folder, delegate }: DelegateItem): boolean {
	return standingWorktree(delegate, folder.delegates()) !== undefined;
}
