import { existsSync } from 'node:fs';
import { errorText, hasCode } from '../base/errors.ts';
import type { JobElsewhere } from '../core/delegates/jobsElsewhere.ts';
import type { Tickets } from '../core/delegates/tickets.ts';
import type { Executor } from '../executors/executor.ts';
import type { ExecutorId } from '../protocol/executorId.ts';

/**
 * Ends and cleans up what delegates have left on a machine that could not be reached when they ended, or were deleted. Work that is there comes
 * into its worktree, if that is still here. After a kill, or if the machine is gone again, the next call goes on.
 * @param say gets a line for each that stays
 */
export async function cleanUpElsewhere(
	tickets: Tickets,
	on: ExecutorId,
	executor: Executor,
	say: (text: string) => void,
): Promise<void> {
	await tickets.jobs.alone(async () => {
		for (const job of await tickets.jobs.unwatched(on)) {
			try {
				const facts = await tickets.facts(job.id);
				// The next look gives it another runner.
				if (facts && !facts.end) continue;
				await cleanUp(job, executor);
				await tickets.jobs.end(job.id);
			} catch (error) {
				say(`${executor.place(job)} is not cleaned up: ${errorText(error)}\n`);
				if (hasCode(error, 'timeout')) return;
			}
		}
	});
}

async function cleanUp(job: JobElsewhere, executor: Executor): Promise<void> {
	const isWork = await executor.rescue(job);
	// Whoever has removed the worktree wants no work of it.
	if (isWork && existsSync(job.worktree.folder)) await executor.collect(job, job.worktree);
	await executor.cleanUp(job);
}
