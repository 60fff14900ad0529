import type { Executor } from '../../src/executors/executor.ts';
import { letterName, putThere, receiptsThere, takeBackThere, takenBackThere } from '../../src/executors/mailThere.ts';
import { DelegateId } from '../../src/protocol/delegate.ts';
import { DriverId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { RemoteJob } from '../../src/protocol/remoteJob.ts';

/** The worker of a delegate, which has the same name on both machines. */
export const REMOTE_WORKER = { task: TaskName.parse('login'), worker: WorkerName.parse('worker-2') };

/** A machine that is a folder of this one: its steps run in this process. */
export function folderMachine(folder: string): { executor: Executor; job: RemoteJob } {
	const done = () => Promise.resolve();
	const job = RemoteJob.parse({
		id: DelegateId.parse('20261129t101538501z-4cc5001c'),
		repository: '0'.repeat(16),
		base: '0'.repeat(40),
		prefix: '',
		prompt: 'x',
		agent: DriverId.parse('heron'),
		mailbox: REMOTE_WORKER,
		permissions: 'default',
		wallSeconds: 1,
		idleSeconds: 1,
	});
	return {
		job,
		executor: {
			pauseMs: 500,
			prepare: () => Promise.resolve(undefined),
			submit: done,
			cancel: done,
			rescue: () => Promise.resolve(false),
			collect: () => Promise.resolve([]),
			place: ({ id }) => `${folder}/${id}`,
			cleanUp: done,
			close: () => undefined,
			carry: (_job, letters) => putThere(folder, REMOTE_WORKER, letters),
			takeBack: (_job, id) => takeBackThere(folder, REMOTE_WORKER, id),
			observe: async (_job, nextOffset, carried) => ({
				is: 'running',
				log: '',
				nextOffset,
				receipts: await receiptsThere(folder, REMOTE_WORKER, carried.map(letterName)),
				takenBack: await takenBackThere(folder, carried.map(letterName)),
			}),
		},
	};
}
