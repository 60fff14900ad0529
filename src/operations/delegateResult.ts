import * as z from 'zod/mini';
import { isFinal } from '../core/delegates/delegate.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { reportable, sealedOutput } from '../core/delegates/reportable.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { DelegateOutput } from '../protocol/output/delegates.ts';
import { delegateAsks } from './shared/delegateAsks.ts';
import { delegateOutput } from './shared/delegateOutput.ts';
import { anybody, type Operation } from './operation.ts';
import { ticketsOf } from './shared/ticketsOf.ts';

const Input = z.object({ id: DelegateId });
const Output = z.object({
	delegate: DelegateOutput,
	/** All that it has printed. Absent until it has ended, and if its output file is not as its runner has written it. */
	answer: z.optional(z.string()),
});

/** Tells the state of one delegate, with its answer once it has ended. */
export const delegateResult: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'delegateResult',
	input: Input,
	output: Output,
	permit: anybody,
	async run(asker, { id }, context) {
		const store = new Delegates(context.workspace);
		const tickets = ticketsOf(context);
		const delegate = await reportable(store, tickets, await store.get(id));
		if (!isFinal(delegate.state)) {
			const asks = await delegateAsks(asker, context.workspace, delegate);
			return { delegate: { ...delegateOutput(delegate), ...asks } };
		}
		const answer = await sealedOutput(tickets, delegate);
		if (answer !== undefined) return { delegate: delegateOutput(delegate), answer };
		return { delegate: { ...delegateOutput(delegate), isOutputChanged: true } };
	},
};
