import { errorText, hasCode } from '../base/errors.ts';
import type { JobElsewhere } from '../core/delegates/jobsElsewhere.ts';
import type { Tickets } from '../core/delegates/tickets.ts';
import { otherBranches } from '../core/delegates/resultText.ts';
import type { Executor } from '../executors/executor.ts';
import { WorkBesides } from '../git/remoteRepository.ts';
import type { ExecutorId } from '../protocol/executorId.ts';

/**
 * Ends and cleans up what delegates have left on a machine that could not be reached when they ended, or were deleted. Work that is there comes
 * here first, once: into its worktree, or onto a branch if that is gone. After a kill, or if the machine is gone again, the next call goes on.
 * @param say gets a line for each whose work has come, and for each that stays
 */
export async function cleanUpElsewhere(
	tickets: Tickets,
	on: ExecutorId,
	executor: Executor,
	say: (text: string) => unknown,
): Promise<void> {
	await tickets.jobs.alone(on, async () => {
		let unreached = 0;
		for (const job of await tickets.jobs.unwatched(on)) {
			try {
				const facts = await tickets.facts(job.id);
				// The next look gives it another runner.
				if (facts && !facts.end) continue;
				if (!job.isCollected && (await executor.rescue(job))) {
					await say(await collect(job, executor));
					await tickets.jobs.collected(job.id);
				}
				await executor.cleanUp(job);
				await tickets.jobs.end(job.id);
				unreached = 0;
			} catch (error) {
				await say(`${executor.place(job)} is not cleaned up: ${errorText(error)}`);
				// One may be a job of which its queue says nothing. After two, the machine is taken for gone.
				if (hasCode(error, 'timeout') && ++unreached > 1) return;
			}
		}
	});
}

function sentences(where: string, others: readonly string[]): string {
	return others.length === 0 ? where : `${where}. ${otherBranches(others)}`;
}

/** Returns where the work is. */
async function collect(job: JobElsewhere, executor: Executor): Promise<string> {
	try {
		const others = await executor.collect(job, job.worktree);
		return sentences(`the work in ${executor.place(job)} is in ${job.worktree.folder}`, others);
	} catch (error) {
		if (error instanceof WorkBesides) return sentences(`${executor.place(job)}: ${errorText(error)}`, error.others);
		throw error;
	}
}
