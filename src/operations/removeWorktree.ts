import * as z from 'zod/mini';
import { phrase } from '../base/phrase.ts';
import { permit } from '../core/asker/permit.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { ownRequest } from '../core/delegates/ownRequest.ts';
import { TaskWorktrees } from '../core/worktrees/taskWorktrees.ts';
import { tearDown } from '../git/tearDown.ts';
import { removeWorktree as remove } from '../git/worktreeRemove.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { idOfBranch, Worktree } from '../protocol/worktree.ts';
import { Said } from '../protocol/said.ts';
import type { Operation, OperationContext } from './operation.ts';
import { endedWorktreeOf, refuseDelegates, refuseRunning } from './shared/ownWorktreeOf.ts';
import { ticketsOf } from './shared/ticketsOf.ts';

const Input = z.object({
	worktree: Worktree,
	/** With work that is nowhere else. Otherwise a branch keeps such work. */
	discard: z.boolean(),
	/** Also if its tear-down command fails. The command is then not run. */
	anyway: z.boolean(),
});
const Output = z.object({
	isRemoved: z.boolean(),
	/** The kept or lost work, or the reason why the worktree stays, as a sentence. */
	says: Said,
	/** There was a tear-down command, which may be the reason why the worktree is still there. */
	hasTornDown: z.boolean(),
});

/** Removes a worktree, after the tear-down command that the user asked for on this machine. */
export const removeWorktree: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'removeWorktree',
	input: Input,
	output: Output,
	async permit(asker, { worktree }) {
		permit(asker, { is: 'change-worktree', what: `remove the worktree ${worktree.branch}` });
	},
	run: (_, input, context) => removeOwnWorktree(input, context),
};

/** For an operation that has checked its own permission. */
export async function removeOwnWorktree(
	{ worktree: claimed, discard, anyway }: z.infer<typeof Input>,
	context: OperationContext,
): Promise<z.infer<typeof Output>> {
	const { worktree, own } = await endedWorktreeOf(context, claimed);
	const name = idOfBranch(worktree.branch);
	if (own) await refuseRunning(context.workspace, own);
	const command = anyway ? undefined : await (own ? tearDownOfTask(context) : tearDownOfDelegate(name, context));
	const failed = await tearDown(worktree, command);
	const hasTornDown = command !== undefined;
	if (failed !== undefined)
		return {
			isRemoved: false,
			says: phrase`the tear-down command failed, so the worktree stays: ${failed}`,
			hasTornDown,
		};
	// The command may have taken minutes.
	if (own) await refuseRunning(context.workspace, own);
	await refuseDelegates(context, worktree);
	const { isRemoved, says } = await remove(worktree, { discard });
	if (isRemoved && own) await new TaskWorktrees(context.workspace.own).forget(own.name);
	return { isRemoved, says, hasTornDown };
}

/** The user's command as it is set now: a task's worktree is made at a person's wish alone. */
async function tearDownOfTask({ readSettings, workspace }: OperationContext): Promise<string | undefined> {
	const { worktreeTearDown } = await readSettings(workspace.folder);
	return worktreeTearDown === '' ? undefined : worktreeTearDown;
}

/** The command that the user's request asked for. */
async function tearDownOfDelegate(name: string, context: OperationContext): Promise<string | undefined> {
	const id = DelegateId.parse(name);
	return (await ownRequest(new Delegates(context.workspace), ticketsOf(context), id))?.record.tearDown;
}
