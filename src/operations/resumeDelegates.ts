import { existsSync } from 'node:fs';
import * as z from 'zod/mini';
import { errorText } from '../base/errors.ts';
import { Delegates } from '../core/delegates/delegates.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { DriverId } from '../protocol/names.ts';
import { lookAfterQueue } from './shared/lookAfterQueue.ts';
import type { Operation } from './operation.ts';
import { permitDelegate } from './shared/permitDelegate.ts';
import { refuseTracked } from '../git/refuseTracked.ts';

const Input = z.object({
	/** All that wait for the same account as this one. */
	id: z.optional(DelegateId),
	/** All of this agent; with neither, all. */
	agent: z.optional(DriverId),
});
const Output = z.object({
	/** How many agents waited. */
	agents: z.int(),
});

/** Resumes delegates that wait for their account's limit to reset. */
export const resumeDelegates: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'resumeDelegates',
	input: Input,
	output: Output,
	async permit(asker, { id }, context) {
		await permitDelegate('resume-delegates', id, asker, context);
		if (existsSync(context.workspace.paths.root)) await refuseTracked(context.workspace);
	},
	async run(_, { id, agent }, context) {
		const { workspace } = context;
		// A workspace without Nancy: nothing waits, and nothing must be made.
		if (!existsSync(workspace.paths.root)) return { agents: 0 };
		const store = new Delegates(workspace);
		const meant = id === undefined ? agent : (await store.get(id)).record.agent;
		const agents = await store.locked(() => store.unpark(meant));
		// Another look follows anyway.
		await lookAfterQueue(store, context).catch((error: unknown) =>
			context.note(`the queue is not looked after: ${errorText(error)}`),
		);
		return { agents: agents.length };
	},
};
