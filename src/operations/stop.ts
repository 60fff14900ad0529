import * as z from 'zod/mini';
import type { Asker } from '../core/asker/asker.ts';
import { ownAddress } from '../core/asker/authorOf.ts';
import { permit } from '../core/asker/permit.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import type { WorkerAddress } from '../core/workspace/workspace.ts';
import { stopWorker } from '../delegates/stopWorker.ts';
import { driverById } from '../drivers/index.ts';
import { TaskName, WorkerName } from '../protocol/names.ts';
import { StopOutput } from '../protocol/output/tasks.ts';
import type { Operation, OperationContext } from './operation.ts';
import { permitDelegate } from './shared/permitDelegate.ts';
import { ticketsOf } from './shared/ticketsOf.ts';
import { unlessFull } from '../base/errors.ts';

const Input = z.object({ workers: z.array(z.object({ task: TaskName, worker: WorkerName })) });

/** Ends workers on purpose: a delegate by its runner, any other agent politely, then firmly. */
export const stop: Operation<z.infer<typeof Input>, StopOutput> = {
	name: 'stop',
	input: Input,
	output: StopOutput,
	async permit(asker, { workers }, context) {
		for (const address of workers) await permitStop(asker, address, context);
	},
	async run(asker, { workers }, context) {
		const tickets = ticketsOf(context);
		const noteBy = async (address: WorkerAddress) => {
			if (asker.is !== 'human') return;
			// On a full disk it is stopped all the same.
			for (const id of await tickets.openAt(address)) await tickets.stops.byHuman(id).catch(unlessFull);
		};
		// A worker that cannot be stopped does not stop the others.
		const ends = await Promise.allSettled(
			workers.map(
				async address => (
					await noteBy(address),
					{
						worker: mailboxName(address),
						outcome: await stopWorker(context.workspace, address, {
							tickets,
							driverOf: driverById,
							onMeant: async () => context.letGo?.(address),
						}),
					}
				),
			),
		);
		return {
			workers: ends.map(end => {
				if (end.status === 'rejected') throw end.reason;
				return end.value;
			}),
		};
	},
};

/** The tickets tell whether a worker is a delegate, and whose. */
async function permitStop(asker: Asker, address: WorkerAddress, context: OperationContext): Promise<void> {
	if (asker.is === 'human') return;
	const open = await ticketsOf(context).openAt(address);
	for (const id of open) await permitDelegate('stop-delegate', id, asker, context);
	if (open.length > 0) return;
	const own = ownAddress(asker);
	const isOwn = own?.task === address.task && own.worker === address.worker;
	permit(asker, { is: 'stop-worker', what: mailboxName(address), isOwn });
}
