import { existsSync } from 'node:fs';
import { isInside } from '../../base/inside.ts';
import type { MergeRecord } from '../../protocol/merge.ts';
import { branchOf, type Worktree } from '../../protocol/worktree.ts';
import { isFinal, type Delegate } from './delegate.ts';

/** A delegate's worktree: its own, or the one it was sent back to. */
export function worktreeOf(delegate: Delegate, all: readonly Delegate[]): Worktree | undefined {
	const own = ownIn(delegate);
	if (own || delegate.isForeign || delegate.record.place.is === 'worktree') return own;
	const { folder } = delegate.record.place;
	return all.map(ownIn).find(worktree => worktree !== undefined && isInside(worktree.folder, folder));
}

/** Others than Nancy can write a status. So its claim on another delegate's worktree is not believed. */
function ownIn({ record, status: { worktree }, isForeign }: Delegate): Worktree | undefined {
	return !isForeign && worktree?.branch === branchOf(record.id) ? worktree : undefined;
}

/** {@link worktreeOf}, until it is removed: then there is nothing to review, merge or discard. */
export function standingWorktree(delegate: Delegate, all: readonly Delegate[]): Worktree | undefined {
	const worktree = worktreeOf(delegate, all);
	return worktree && isStanding(worktree) ? worktree : undefined;
}

export function isStanding({ folder }: Worktree): boolean {
	return existsSync(folder);
}

/**
 * The last merge of the worktree that a delegate worked in, if it holds the delegate's work. A merge from before the delegate was queued does not.
 */
export function mergeOf({ record }: Delegate, worktree: Worktree, all: readonly Delegate[]): MergeRecord | undefined {
	const owner = all.find(each => ownIn(each)?.folder === worktree.folder);
	return owner?.merges?.findLast(({ at }) => at > record.createdAt);
}

/** A delegate that waits or works in this worktree right now. */
export function busyIn(worktree: Worktree, all: readonly Delegate[]): Delegate | undefined {
	return all.find(each => !isFinal(each.state) && worktreeOf(each, all)?.folder === worktree.folder);
}

/** The worktree of a task's worker, while its folder is there. */
export function workersWorktree({ worktree }: { worktree?: Worktree }): Worktree | undefined {
	return worktree && isStanding(worktree) ? worktree : undefined;
}
