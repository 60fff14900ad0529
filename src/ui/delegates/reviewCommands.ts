import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { standingWorktree, workersWorktree } from '../../core/delegates/inWorktree.ts';
import type { TaskView, WorkerView } from '../../core/live/overview.ts';
import type { Folders } from '../folders.ts';
import { readResultOf } from '../inbox/mailCommands.ts';
import { pickItem } from '../pickers.ts';
import type { Operations } from '../ports.ts';
import { WorkerItem, workersIn } from '../tasks/tasksView.ts';
import { whoIs } from '../who.ts';
import { ChangedFileItem, ownerOf } from './changedFiles.ts';
import { changesOfWorker } from './changesOf.ts';
import { DelegateItem, delegateItems } from './delegatesView.ts';
import { delegateLine } from './delegateWords.ts';
import type { OpenReviews } from './openReviews.ts';
import type { Commented, ReviewComments } from './reviewComments.ts';
import { reviewedOf, worktreeOfRow, type ReviewedItem } from './reviewed.ts';
import type { Reviews } from './reviews.ts';

export interface ReviewCollaborators {
	folders: Folders;
	operations: Operations;
	reviews: Reviews;
	opened: OpenReviews;
	comments: ReviewComments;
	agentName: (driver: string) => string;
}

type Args = readonly unknown[];

/** The commands for changes, of delegates and of tasks. */
export function reviewHandlers(own: ReviewCollaborators) {
	const { operations, reviews, comments, opened } = own;
	return {
		'nancy.reviewDelegate': async (args: Args) => {
			const item = await reviewable(own, args, changesOfWorker);
			await reviews.open(item);
			if (item instanceof DelegateItem) await readResultOf(operations, item);
		},
		'nancy.openChange': async ([item]: Args) => {
			const row = rowOf([item]);
			if (item instanceof ChangedFileItem && row) await reviews.openFile(row, item.file);
		},
		'nancy.openChangedFile': async ([item]: Args) => {
			if (item instanceof ChangedFileItem)
				await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(item.path));
		},
		'nancy.mergeDelegate': async (args: Args) =>
			reviews.merge(rowOf(args) ?? opened.active() ?? (await reviewable(own, args))),
		'nancy.undoMerge': async (args: Args) => reviews.undoMerge(await reviewable(own, args)),
		'nancy.openDelegateWorktree': async (args: Args) => reviews.openWorktree(await reviewable(own, args)),
		'nancy.discardDelegate': async (args: Args) => reviews.discard(await reviewable(own, args)),
		'nancy.sendBack': async (args: Args) => {
			const commented = comments.authorOf(args[0]);
			const [only, ...others] = comments.waiting();
			const known = commented ?? (rowOf(args) === undefined && others.length === 0 ? only : undefined);
			await comments.sendBack(known ?? commentedOf(await reviewable(own, args, changesOfWorker), own.agentName));
		},
	};
}

function commentedOf(item: ReviewedItem, agentName: (driver: string) => string): Commented {
	if (item instanceof DelegateItem) {
		const { folder, worktree } = worktreeOfRow(item, agentName);
		return { folder, of: { worktree }, delegate: item.delegate };
	}
	const { folder, of } = reviewedOf(item, agentName);
	return { folder, of, worker: item.worker.record };
}

/** The row that the command was called from, or the one above it whose changed files it lists. */
function rowOf([called]: Args): ReviewedItem | undefined {
	const item = ownerOf(called);
	return item instanceof DelegateItem || item instanceof WorkerItem ? item : undefined;
}

/**
 * That row, or one that the user chooses.
 * @param has says whether a worker can be chosen: by default, one with a worktree
 */
async function reviewable(
	{ folders, agentName }: ReviewCollaborators,
	args: Args,
	has: (task: TaskView, worker: WorkerView) => unknown = (_, worker) => workersWorktree(worker),
): Promise<ReviewedItem> {
	const called = rowOf(args);
	if (called) return called;
	const rows = folders.list().flatMap(folder => [
		...workersIn(folder)
			.filter(({ task, worker }) => has(task, worker) !== undefined)
			.map((value): Choosable => ({ label: whoIs(folder, value.address), description: l10n.t('task'), value })),
		...delegateItems(folder, agentName)
			.filter(hasWorktree)
			.map((value): Choosable => ({ label: value.fullLabel, description: delegateLine(value.delegate), value })),
	]);
	return pickItem(rows, l10n.t('Whose changes?'), l10n.t('No task and no delegate has changes of this kind.'));
}

interface Choosable {
	label: string;
	description: string;
	value: ReviewedItem;
}

function hasWorktree({ folder, delegate }: DelegateItem): boolean {
	return standingWorktree(delegate, folder.delegates()) !== undefined;
}
