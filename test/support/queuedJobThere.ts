import { randomBytes } from 'node:crypto';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { JobFiles, remoteRoot } from '../../src/executors/jobFiles.ts';
import { steps } from '../../src/executors/there.ts';
import { DelegateId } from '../../src/protocol/delegate.ts';
import { RemoteJob, type JobQueue, type Seen } from '../../src/protocol/remoteJob.ts';
import { eventually } from './eventually.ts';
import { folderMachine } from './folderMachine.ts';
import { lookThere } from './lookThere.ts';

/**
 * A job for a queue of this machine, by the steps that another one asks for. Its home folder is that of this process.
 * @param program runs it: see test/fixtures/children/queuedRunner
 */
export function queuedJobThere(queue: JobQueue, program: string) {
	// No other file has it: what ends a job ends all that is marked with its id, on the whole machine.
	const id = DelegateId.parse(`20261129t101538501z-${randomBytes(4).toString('hex')}`);
	const files = new JobFiles(id);
	const job = RemoteJob.parse({ ...folderMachine('').job, id, queue });
	const step = (name: string, input: object) => Promise.resolve(steps[name]?.(input, program));
	const look = async (isFresh = true) => {
		// Else the answer before is kept for a while.
		if (isFresh) for (const kept of globSync(join(remoteRoot(), 'queue-*.json'))) rmSync(kept, { force: true });
		return lookThere(id, program);
	};
	return {
		id,
		files,
		name: `nancy-${id}`,
		submit: () => step('start', job),
		cancel: () => step('cancel', { id }),
		rescue: () => step('rescue', { id, repository: job.repository, queue }),
		look,
		/** As if so long had passed that its queue must list it. */
		submittedEarlier: async () => {
			const submitted = (await files.submitted()) ?? { times: 0 };
			await files.writeSubmitted({ ...submitted, atMs: Date.now() - 31_000 });
		},
		finish: () => writeFileSync(`${files.folder}/open`, ''),
		/** Resolves once this is so. */
		until: (what: string, is: (seen: Seen) => boolean) =>
			eventually(what, async () => {
				const seen = await look();
				return is(seen) ? seen : undefined;
			}),
		atWork: () => eventually('at work', async () => (await look()).log !== '' || undefined),
		ended: (isFresh = true) =>
			eventually('its end', async () => {
				const seen = await look(isFresh);
				return seen.is === 'running' ? undefined : seen;
			}),
		/** How often it did its work. */
		runs: () => readFileSync(files.log, 'utf8').split('\n').length - 1,
	};
}
