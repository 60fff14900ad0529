import { NancyError } from '../../base/errors.ts';
import { phrase, type Named } from '../../base/phrase.ts';
import { theDelegate, theWorker } from '../../core/workspace/named.ts';
import { Delegates } from '../../core/delegates/delegates.ts';
import { isRunning, isStarting } from '../../core/workspace/workerLife.ts';
import { isFinal } from '../../core/delegates/delegate.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { isInside } from '../../base/inside.ts';
import type { WorkerRecord } from '../../protocol/records.ts';
import { TaskWorktrees, type TaskWorktree } from '../../core/worktrees/taskWorktrees.ts';
import { endedWorktree, ownWorktree, provenWorktree } from '../../git/ownWorktree.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import type { OperationContext } from '../operation.ts';
import { mergesOf, settleMerge, type MergesOf } from './settleMerges.ts';
import { ticketsOf } from './ticketsOf.ts';
import { startedFor } from '../../core/sessions/sealedAgents.ts';
import { refuseUnread } from './refuseUnread.ts';

/** A worktree to be merged or removed. */
interface EndedWorktree extends MergesOf {
	worktree: Worktree;
}

/**
 * The worktree that a delegate's status or a worker's record names. An agent may be able to write those, so each operation on a worktree asks
 * this first.
 * @throws NancyError `not-trusted` for one that Nancy did not make on this machine
 */
export async function ownWorktreeOf(context: OperationContext, claimed: Worktree): Promise<Worktree> {
	const asked = await new TaskWorktrees(context.workspace.own).of(claimed.branch);
	if (asked) return provenWorktree(claimed, asked.repository);
	return ownWorktree(new Delegates(context.workspace), ticketsOf(context), claimed);
}

/**
 * The same, for a change of the worktree: nobody may be at work there.
 * @throws NancyError `busy` also
 */
export async function endedWorktreeOf(context: OperationContext, claimed: Worktree): Promise<EndedWorktree> {
	const own = await new TaskWorktrees(context.workspace.own).of(claimed.branch);
	const worktree = own
		? await provenWorktree(claimed, own.repository)
		: await endedWorktree(new Delegates(context.workspace), ticketsOf(context), claimed);
	if (own) await refuseWorking(context, own);
	await refuseDelegates(context, worktree);
	await settleMerge(context, worktree.branch);
	return { worktree, ...(await mergesOf(context, worktree.branch)) };
}

/** An agent that is idle in its terminal is no obstacle: a merge takes the files as they are. */
async function refuseWorking(context: OperationContext, own: TaskWorktree): Promise<void> {
	const { tasks } = await context.look();
	const busy = tasks
		.flatMap(({ workers }) => workers)
		.find(({ record, state }) => isOf(own, record) && !['idle', 'ended'].includes(state.phase));
	if (busy) throw new NancyError('busy', phrase`${nameOf(busy.record)} is at work there; stop it first`);
}

/** Others may work there too: one that goes on with the work, or that was asked for there. @throws NancyError `busy` */
export async function refuseDelegates(context: OperationContext, worktree: Worktree): Promise<void> {
	const { delegates } = await new Delegates(context.workspace).list();
	const within = delegates.find(
		({ record, state }) => !isFinal(state) && isInside(worktree.folder, record.place.folder),
	);
	if (within)
		throw new NancyError(
			'busy',
			phrase`the delegate ${theDelegate(within.record.id)} is at work there; stop it first`,
		);
}

function nameOf({ task, name }: WorkerRecord): Named {
	return theWorker({ task, worker: name });
}

function isOf({ task, workers }: TaskWorktree, record: WorkerRecord): boolean {
	return record.task === task && workers.includes(record.name);
}

/** An idle agent needs its folder. @throws NancyError `busy` */
export async function refuseRunning(workspace: Workspace, own: TaskWorktree): Promise<void> {
	const { workers, problems } = await workspace.workers(own.task);
	refuseUnread(problems.filter(({ isStray }) => !isStray));
	// An agent can take its process out of its record.
	const sealed = startedFor(workspace.own.dataFolder, { folder: workspace.folder, task: own.task }).find(
		({ address }) => own.workers.includes(address.worker),
	);
	if (sealed) throw new NancyError('busy', phrase`${theWorker(sealed.address)} runs there; stop it first`);
	const running = workers.find(record => isOf(own, record) && (isRunning(record) || isStarting(record)));
	if (running) throw new NancyError('busy', phrase`${nameOf(running)} runs there; stop it first`);
}
