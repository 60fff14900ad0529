import * as z from 'zod/mini';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import { stopWorker } from '../delegates/stopWorker.ts';
import { driverById } from '../drivers/index.ts';
import { TaskName, WorkerName } from '../protocol/names.ts';
import { StopOutput } from '../protocol/output/tasks.ts';
import { requireTrust, type Operation } from './operation.ts';
import { permitDelegate } from './permitDelegate.ts';
import { ticketsOf } from './ticketsOf.ts';

const Input = z.object({ workers: z.array(z.object({ task: TaskName, worker: WorkerName })) });

/** Ends workers on purpose: a delegate by its runner, any other agent politely, then firmly. */
export const stop: Operation<z.infer<typeof Input>, StopOutput> = {
	name: 'stop',
	input: Input,
	output: StopOutput,
	async permit(_asker, _input, context) {
		// The ticket says whether a worker is a delegate, and whose: see `run`.
		requireTrust(context);
	},
	async run(asker, { workers }, context) {
		const tickets = ticketsOf(context);
		// A worker that cannot be stopped does not stop the others.
		const ends = await Promise.allSettled(
			workers.map(async address => ({
				worker: mailboxName(address),
				outcome: await stopWorker(context.workspace, address, {
					tickets,
					driverOf: driverById,
					permit: id => permitDelegate('stop-delegate', id, asker, context),
					onMeant: async () => context.letGo?.(address),
				}),
			})),
		);
		return {
			workers: ends.map(end => {
				if (end.status === 'rejected') throw end.reason;
				return end.value;
			}),
		};
	},
};
