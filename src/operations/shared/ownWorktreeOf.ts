import { Delegates } from '../../core/delegates/delegates.ts';
import { endedWorktree, ownWorktree } from '../../git/ownWorktree.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import type { OperationContext } from '../operation.ts';
import { ticketsOf } from './ticketsOf.ts';

/**
 * The worktree that a delegate's status names. An agent may be able to write a status, so each operation on a worktree asks this first.
 * @throws NancyError `not-trusted` for one that Nancy did not make for its delegate on this machine
 */
export function ownWorktreeOf(context: OperationContext, claimed: Worktree): Promise<Worktree> {
	return ownWorktree(new Delegates(context.workspace), ticketsOf(context), claimed);
}

/** The same, for a change of the worktree: its delegate must have ended. */
export function endedWorktreeOf(context: OperationContext, claimed: Worktree): Promise<Worktree> {
	return endedWorktree(new Delegates(context.workspace), ticketsOf(context), claimed);
}
