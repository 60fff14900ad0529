import type { DelegateRecord } from '../protocol/delegate.ts';
import type { Worktree } from '../protocol/worktree.ts';
import type { DelegateOperations, Folder, WorktreeOperations } from './ports.ts';

export interface Removal {
	folder: Folder;
	/** Of the delegate that it was made for. */
	record: DelegateRecord;
	worktree: Worktree;
	/** With what is nowhere else. */
	discard: boolean;
}

/**
 * Removes a worktree, after its tear-down command where the user asked for one on this machine. `hasTornDown` tells that there
 * was one, which may be why the worktree is still there.
 */
export async function removeQuietly(
	{ worktrees, delegates }: { worktrees: WorktreeOperations; delegates: DelegateOperations },
	{ folder, record, worktree, discard }: Removal,
): Promise<{ isRemoved: boolean; says: string; hasTornDown: boolean }> {
	const isOwn = record.tearDown !== undefined && (await delegates.isOwn(folder, record.id));
	const tearDown = isOwn ? record.tearDown : undefined;
	return {
		...(await worktrees.remove(folder, worktree, { discard, tearDown })),
		hasTornDown: tearDown !== undefined,
	};
}
