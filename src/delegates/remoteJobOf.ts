import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { sha256 } from '../base/sha256.ts';
import type { Delegate } from '../core/delegates/delegate.ts';
import type { JobsElsewhere } from '../core/delegates/jobsElsewhere.ts';
import type { Tickets } from '../core/delegates/tickets.ts';
import { createWorktree, prefixIn } from '../git/worktree.ts';
import type { ExecutorId } from '../protocol/executorId.ts';
import type { RemoteJob, RemotePhase } from '../protocol/remoteJob.ts';
import { WorktreeName, type Worktree } from '../protocol/worktree.ts';
import { folderOf } from './folderOf.ts';
import type { RunnerTools } from './runnerTools.ts';

/**
 * A delegate as another machine needs to know it.
 * @param phase how far it has come: what was submitted stays as it was
 */
export async function remoteJobOf(
	{ id, agent, model, permissions, isolate, limits, place, task, worker }: Delegate['record'],
	prompt: string,
	{ repository, base }: Worktree,
	phase: RemotePhase,
	tools: Pick<RunnerTools, 'isSteered'>,
): Promise<RemoteJob> {
	return {
		id,
		repository: sha256(repository).slice(0, 16),
		base,
		// Its folder here may be gone by now.
		prefix: phase.prefix ?? (await prefixIn(place.folder)),
		prompt,
		agent,
		// As it was submitted, whatever the user has chosen since.
		mailbox: (phase.isSteered ?? (await tools.isSteered(agent))) ? { task, worker } : undefined,
		model,
		permissions,
		isolate,
		wallSeconds: limits.wallSeconds,
		idleSeconds: limits.idleSeconds,
		forwards: phase.forwards,
	};
}

/** The worktree here, whose branch the work comes back to. Makes it, or takes the one that an earlier runner had made. */
export async function worktreeFor(
	record: Delegate['record'],
	workspaceFolder: string,
	tickets: Tickets,
): Promise<Worktree> {
	const { id, place } = record;
	if (place.is !== 'worktree')
		throw new NancyError('bad-usage', phrase`on another machine a delegate works in a worktree`);
	const earlier = await tickets.worktree(id);
	if (earlier) return earlier;
	const { withChanges } = place;
	const folder = folderOf(record, workspaceFolder);
	const made = await createWorktree({ folder, name: WorktreeName.parse(id), withChanges, copyIncludes: false });
	await tickets.made(id, made);
	return made;
}

/** The note follows the phase, also after a kill between the two: otherwise a later clean-up removes a folder that is to stay. */
export async function noteJob(
	jobs: JobsElsewhere,
	{ phase }: RemotePhase,
	on: ExecutorId | undefined,
	{ id, repository }: RemoteJob,
	worktree: Worktree,
): Promise<void> {
	if (on === undefined) return;
	if (phase === 'cleaned' || phase === 'kept') await jobs.end(id);
	else await jobs.begin(on, { id, repository, worktree, isCollected: phase === 'collected' });
}
