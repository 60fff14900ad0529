import { errorText, NancyError } from '../../base/errors.ts';
import type { DelegateId, DelegateRecord } from '../../protocol/delegate.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import { isFinal, type Delegate } from './delegate.ts';
import { busyIn, standingWorktree } from './inWorktree.ts';

/** What of a worktree is nowhere else. */
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

/** Delegates that are deleted together, for they worked in one worktree; one alone where it had none. */
export interface Batch {
	/** Oldest first: the first has the worktree. */
	delegates: readonly Delegate[];
	worktree?: Worktree;
	only?: OnlyThere;
	/** Why what it calls its worktree is not touched. It may be its own all the same, and it alone says where that is. */
	foreign?: string;
	/** Why nobody can tell what its worktree has: it stays, whole. */
	unseen?: string;
}

/** Whether removing it would lose or move anything that a person has to know of. */
export function isAnythingOnly({ commits, files, nested }: OnlyThere): boolean {
	return commits > 0 || files.length > 0 || nested.length > 0;
}

/** Clearing a list is done without thinking: what somebody may still want to know of is deleted only by name. */
export function staysUnlessNamed({ only, foreign }: Batch): boolean {
	return foreign !== undefined || (only !== undefined && isAnythingOnly(only));
}

export function isDeletable({ state, isForeign }: Delegate): boolean {
	return isFinal(state) && !isForeign;
}

/** What may be deleted now without being named: nobody is at work where it worked. */
export function clearable(all: readonly Delegate[]): Delegate[] {
	return all.filter(delegate => {
		const worktree = standingWorktree(delegate, all);
		return isDeletable(delegate) && (worktree === undefined || !busyIn(worktree, all));
	});
}

/**
 * What goes with what.
 * @param only looks at a worktree; throws `not-trusted` for one that is not the delegate's: that stays where it is, and the
 * delegate need not. One that cannot be looked at holds up no other
 * @param refuse makes the error about one that has not ended, or is another program's
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
	// One that worked in the worktree of another goes with that one.
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
		if (error instanceof NancyError && error.code === 'not-trusted') return { foreign: error.message };
		return { worktree, unseen: errorText(error) };
	}
}

/**
 * Removes a batch, its worktree first; whoever has that goes last: killed in between, what is left can still be found.
 * @returns what became of the worktree, where there was one; with `isRemoved: false` nothing of the batch was deleted
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
