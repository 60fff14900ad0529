import { l10n } from 'vscode';
import { standingWorktree, workersWorktree } from '../../core/delegates/inWorktree.ts';
import type { Folders } from '../folders.ts';
import { readResultOf } from '../inbox/mailCommands.ts';
import { pickItem } from '../pickers.ts';
import type { Operations } from '../ports.ts';
import { WorkerItem, workersIn } from '../tasks/tasksView.ts';
import { whoIs } from '../who.ts';
import { DelegateItem, delegateItems } from './delegatesView.ts';
import { delegateLine } from './delegateWords.ts';
import type { OpenReviews } from './openReviews.ts';
import type { Commented, ReviewComments } from './reviewComments.ts';
import { reviewedOf, type ReviewedItem } from './reviewed.ts';
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

/** The commands for worktrees, of delegates and of tasks. */
export function reviewHandlers(own: ReviewCollaborators) {
	const { operations, reviews, comments, opened } = own;
	return {
		'nancy.reviewDelegate': async (args: Args) => {
			const item = await reviewable(own, args);
			await reviews.open(item);
			if (item instanceof DelegateItem) await readResultOf(operations, item);
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
			await comments.sendBack(known ?? commentedOf(await reviewable(own, args), own.agentName));
		},
	};
}

function commentedOf(item: ReviewedItem, agentName: (driver: string) => string): Commented {
	const { folder, worktree } = reviewedOf(item, agentName);
	return item instanceof DelegateItem
		? { folder, worktree, delegate: item.delegate }
		: { folder, worktree, worker: item.worker.record };
}

/** The row that the command was called from. */
function rowOf([item]: Args): ReviewedItem | undefined {
	return item instanceof DelegateItem || item instanceof WorkerItem ? item : undefined;
}

/** That row, or one with a worktree that the user chooses. */
async function reviewable({ folders, agentName }: ReviewCollaborators, args: Args): Promise<ReviewedItem> {
	const called = rowOf(args);
	if (called) return called;
	const rows = folders.list().flatMap(folder => [
		...workersIn(folder)
			.filter(({ worker }) => workersWorktree(worker) !== undefined)
			.map((value): Choosable => ({ label: whoIs(folder, value.address), description: l10n.t('task'), value })),
		...delegateItems(folder, agentName)
			.filter(hasWorktree)
			.map((value): Choosable => ({ label: value.fullLabel, description: delegateLine(value.delegate), value })),
	]);
	return pickItem(rows, l10n.t('Whose changes?'), l10n.t('Neither a task nor a delegate has a worktree of its own.'));
}

interface Choosable {
	label: string;
	description: string;
	value: ReviewedItem;
}

function hasWorktree({ folder, delegate }: DelegateItem): boolean {
	return standingWorktree(delegate, folder.delegates()) !== undefined;
}
