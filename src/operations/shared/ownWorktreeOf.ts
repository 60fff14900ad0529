import { NancyError } from '../../base/errors.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import type { MergeRecords } from '../../core/worktrees/mergeRecords.ts';
import { TaskWorktrees } from '../../core/worktrees/taskWorktrees.ts';
import { endedWorktree, ownWorktree, provenWorktree } from '../../git/ownWorktree.ts';
import { DelegateId } from '../../protocol/delegate.ts';
import type { TaskName } from '../../protocol/names.ts';
import { idOfBranch, WorktreeName, type Worktree } from '../../protocol/worktree.ts';
import type { OperationContext } from '../operation.ts';
import { ticketsOf } from './ticketsOf.ts';

/** A worktree to be merged or removed. */
interface EndedWorktree {
	worktree: Worktree;
	/** The sealed records of its merges. */
	merges: MergeRecords;
	/** The task that it belongs to, if it is no delegate's. */
	task?: TaskName;
}

/**
 * The worktree that a delegate's status or a worker's record names. An agent may be able to write those, so each operation on a worktree asks
 * this first.
 * @throws NancyError `not-trusted` for one that Nancy did not make on this machine
 */
export async function ownWorktreeOf(context: OperationContext, claimed: Worktree): Promise<Worktree> {
	const asked = await new TaskWorktrees(context.workspace.own).of(idOfBranch(claimed.branch));
	if (asked) return provenWorktree(claimed, asked.repository);
	return ownWorktree(new Delegates(context.workspace), ticketsOf(context), claimed);
}

/**
 * The same, for a change of the worktree: nobody may be at work there.
 * @throws NancyError `busy` also
 */
export async function endedWorktreeOf(context: OperationContext, claimed: Worktree): Promise<EndedWorktree> {
	const tasks = new TaskWorktrees(context.workspace.own);
	const name = idOfBranch(claimed.branch);
	const asked = await tasks.of(name);
	if (asked) {
		const worktree = await provenWorktree(claimed, asked.repository);
		await refuseWorking(context, worktree);
		return { worktree, merges: tasks.merges(WorktreeName.parse(name)), task: asked.task };
	}
	const tickets = ticketsOf(context);
	const worktree = await endedWorktree(new Delegates(context.workspace), tickets, claimed);
	return { worktree, merges: tickets.merges(DelegateId.parse(name)) };
}

/** An agent that is idle in its terminal is no obstacle: a merge takes the files as they are. */
async function refuseWorking({ look }: OperationContext, { branch }: Worktree): Promise<void> {
	const { tasks } = await look();
	const busy = tasks
		.flatMap(({ workers }) => workers)
		.find(({ record, state }) => record.worktree?.branch === branch && !['idle', 'ended'].includes(state.phase));
	if (busy) throw new NancyError('busy', `${busy.record.task}/${busy.record.name} is at work there; stop it first`);
}

/** Notes in the records of the task's workers, for people, when the worktree was merged; `undefined` once that was undone. */
export async function noteMerged(
	{ workspace }: OperationContext,
	task: TaskName | undefined,
	{ branch }: Worktree,
	mergedAt: string | undefined,
): Promise<void> {
	if (task === undefined) return;
	const { workers } = await workspace.workers(task);
	for (const { name } of workers.filter(({ worktree }) => worktree?.branch === branch)) {
		await workspace.updateWorker({ task, worker: name }, record => {
			if (!record?.worktree) return record;
			const { mergedAt: _, ...worktree } = record.worktree;
			return { ...record, worktree: { ...worktree, ...(mergedAt !== undefined && { mergedAt }) } };
		});
	}
}
