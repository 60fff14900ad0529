import { BegunMerges, type BegunMerge } from '../../core/worktrees/begunMerges.ts';
import type { MergeRecords } from '../../core/worktrees/mergeRecords.ts';
import { TaskWorktrees, type TaskWorktree } from '../../core/worktrees/taskWorktrees.ts';
import { hasMerged } from '../../git/mergeBegun.ts';
import { DelegateId } from '../../protocol/delegate.ts';
import { idOfBranch } from '../../protocol/worktree.ts';
import type { OperationContext } from '../operation.ts';
import { ticketsOf } from './ticketsOf.ts';

/** The sealed records of a worktree's merges. */
export interface MergesOf {
	merges: MergeRecords;
	/** Absent for a delegate's worktree. */
	own?: TaskWorktree;
}

/** The merges of a worktree of a task or of a delegate. */
export async function mergesOf(context: OperationContext, branch: string): Promise<MergesOf> {
	const tasks = new TaskWorktrees(context.workspace.own);
	const own = await tasks.of(branch);
	return own
		? { merges: tasks.merges(own.name), own }
		: { merges: ticketsOf(context).merges(DelegateId.parse(idOfBranch(branch))) };
}

/** Notes a merge that has changed the checkout, so that it can be undone. Safe to repeat after a kill. */
export async function noteMerge(context: OperationContext, begun: BegunMerge): Promise<void> {
	const { worktree, merge } = begun;
	const { merges, own } = await mergesOf(context, worktree.branch);
	await merges.add(merge);
	await noteMerged(context, own, merge.at);
	await new BegunMerges(context.workspace.own).forget(begun);
}

/** After a kill between a merge and its note: git tells whether the checkout has the changes. Does nothing without such a merge. */
export async function settleMerge(context: OperationContext, branch: string): Promise<void> {
	const begun = new BegunMerges(context.workspace.own);
	const left = await begun.of(branch);
	if (!left) return;
	if (await hasMerged(left.worktree, left.merge)) await noteMerge(context, left);
	else await begun.forget(left);
}

/** Notes in the records of its workers, for people, when a worktree was merged; `undefined` once that was undone. */
export async function noteMerged(
	{ workspace }: OperationContext,
	own: TaskWorktree | undefined,
	mergedAt: string | undefined,
): Promise<void> {
	if (!own) return;
	for (const worker of own.workers) {
		await workspace.updateWorker({ task: own.task, worker }, record => {
			if (!record?.worktree) return undefined;
			const { mergedAt: _, ...worktree } = record.worktree;
			return { ...record, worktree: { ...worktree, ...(mergedAt !== undefined && { mergedAt }) } };
		});
	}
}
