import * as z from 'zod/mini';
import { Delegates } from '../core/delegates/delegates.ts';
import { reportable } from '../core/delegates/reportable.ts';
import { DelegatesOutput } from '../protocol/output/delegates.ts';
import { delegateAsks } from './shared/delegateAsks.ts';
import { delegateOutput } from './shared/delegateOutput.ts';
import { anybody, type Operation } from './operation.ts';
import { ticketsOf } from './shared/ticketsOf.ts';

const Input = z.object({});

/** Lists the delegates of the workspace, then the workers of a swarm. Each in the order of their ids. */
export const listDelegates: Operation<z.infer<typeof Input>, z.infer<typeof DelegatesOutput>> = {
	name: 'listDelegates',
	input: Input,
	output: DelegatesOutput,
	permit: anybody,
	async run(asker, _input, context) {
		const store = new Delegates(context.workspace);
		const tickets = ticketsOf(context);
		const { delegates, problems } = await store.list();
		const all = await Promise.all(delegates.map(delegate => reportable(store, tickets, delegate)));
		const outputs = all.map(async delegate => ({
			...delegateOutput(delegate),
			...(await delegateAsks(asker, context.workspace, delegate)),
		}));
		return { delegates: await Promise.all(outputs), problems };
	},
};
