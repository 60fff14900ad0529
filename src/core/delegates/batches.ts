import { errorText, hasCode } from '../../base/errors.ts';
import type { DelegateId, DelegateRecord } from '../../protocol/delegate.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import { isFinal, type Delegate } from './delegate.ts';
import { busyIn, standingWorktree } from './inWorktree.ts';

/** Work that exists only in this worktree. */
export interface OnlyThere {
	/** Commits that no branch of a person's, tag or remote has, and that were not brought into the checkout. */
	commits: number;
	/** Files that are not committed, untracked ones included. */
	files: readonly string[];
	/** Repositories inside it, with `/` at the end: no branch can hold them. */
	nested: readonly string[];
	/** Ignored files and folders. They go with the folder, and no branch holds them. */
	ignored: readonly string[];
}

/** Delegates that worked in one worktree and are deleted together. A delegate without a worktree is alone. */
export interface Batch {
	/** Oldest first: the first has the worktree. */
	delegates: readonly Delegate[];
	worktree?: Worktree;
	only?: OnlyThere;
	/** Why the folder that it names as its worktree is not touched. The folder may be its own, and no other file names it. */
	foreign?: string;
	/** Why Nancy cannot tell what the worktree holds. The worktree then stays whole. */
	unseen?: string;
}

/** Whether a removal would lose or move work, so that a person must be told. */
export function isAnythingOnly({ commits, files, nested }: OnlyThere): boolean {
	return commits > 0 || files.length > 0 || nested.length > 0;
}

/** Clear Ended keeps delegates whose worktree has unique work. They are deleted only if named. */
export function staysUnlessNamed({ only, foreign }: Batch): boolean {
	return foreign !== undefined || (only !== undefined && isAnythingOnly(only));
}

export function isDeletable({ state, isForeign }: Delegate): boolean {
	return isFinal(state) && !isForeign;
}

/** Delegates that may be deleted now without being named: nobody works in their worktree. */
export function clearable(all: readonly Delegate[]): Delegate[] {
	return all.filter(delegate => {
		const worktree = standingWorktree(delegate, all);
		return isDeletable(delegate) && (worktree === undefined || !busyIn(worktree, all));
	});
}

/**
 * Groups delegates that can only be deleted together.
 * @param only looks at a worktree. It throws `not-trusted` for a worktree that is not the delegate's. Such a worktree stays, but its
 * delegate may go. A worktree that cannot be looked at holds up no other
 * @param refuse makes the error about a delegate that has not ended, or belongs to another program
 */
export async function batchesOf(
	chosen: readonly Delegate[],
	all: readonly Delegate[],
	only: (worktree: Worktree) => Promise<OnlyThere>,
	refuse: (delegate: Delegate) => Error,
): Promise<Batch[]> {
	const batches = new Map<DelegateId, Batch>();
	for (const delegate of chosen) {
		if (!isDeletable(delegate)) throw refuse(delegate);
		const named = delegate.status.worktree && standingWorktree(delegate, all);
		const found = named ? await lookAt(named, only) : {};
		const { worktree } = found;
		const busy = worktree && busyIn(worktree, all);
		if (busy) throw refuse(busy);
		const delegates = worktree
			? all.filter(each => standingWorktree(each, all)?.folder === worktree.folder)
			: [delegate];
		batches.set(delegate.record.id, { ...found, delegates });
	}
	// A delegate that worked in another's worktree goes with that delegate.
	const taken = new Set(
		[...batches.values()].filter(({ worktree }) => worktree).flatMap(({ delegates }) => delegates.slice(1)),
	);
	return [...batches.values()].filter(({ delegates: [first] }) => first && !taken.has(first));
}

async function lookAt(
	worktree: Worktree,
	only: (worktree: Worktree) => Promise<OnlyThere>,
): Promise<Omit<Batch, 'delegates'>> {
	try {
		return { worktree, only: await only(worktree) };
	} catch (error) {
		if (hasCode(error, 'not-trusted')) return { foreign: error.message };
		return { worktree, unseen: errorText(error) };
	}
}

/**
 * Removes a batch, its worktree first. The delegate that owns the worktree goes last, so that a later look finds the rest after a kill.
 * @returns the result for the worktree, if there is one. With `isRemoved: false` nothing of the batch was deleted
 */
export async function deleteBatch<R extends { isRemoved: boolean }>(
	{ delegates, worktree }: Batch,
	remove: (worktree: Worktree, owner: DelegateRecord) => Promise<R>,
	deleteOne: (id: DelegateId) => Promise<void>,
): Promise<R | undefined> {
	const [owner] = delegates;
	const removal = worktree && owner && (await remove(worktree, owner.record));
	if (removal && !removal.isRemoved) return removal;
	for (const { record } of delegates.toReversed()) await deleteOne(record.id);
	return removal;
}
