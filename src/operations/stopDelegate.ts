import * as z from 'zod/mini';
import { Delegates } from '../core/delegates/delegates.ts';
import { stopDelegate as stop } from '../delegates/delegateQueue.ts';
import { DelegateId } from '../protocol/delegate.ts';
import type { Operation } from './operation.ts';
import { permitDelegate } from './shared/permitDelegate.ts';
import { ticketsOf } from './shared/ticketsOf.ts';
import { unlessFull } from '../base/errors.ts';

const Input = z.object({ id: DelegateId });
const Output = z.object({});

/** Ends a delegate. Resolves once it has ended, and throws `timeout` if its runner does not answer. */
export const stopDelegate: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'stopDelegate',
	input: Input,
	output: Output,
	worksOnPage: true,
	async permit(asker, { id }, context) {
		await permitDelegate('stop-delegate', id, asker, context);
	},
	async run(asker, { id }, context) {
		const tickets = ticketsOf(context);
		// On a full disk it is stopped all the same.
		if (asker.is === 'human') await tickets.stops.byHuman(id).catch(unlessFull);
		await stop(new Delegates(context.workspace), tickets, id);
		return {};
	},
};
