import * as z from 'zod/mini';
import { ownAddress } from '../core/asker/authorOf.ts';
import type { MessageState } from '../core/mailbox/mailboxPaths.ts';
import { InboxOutput } from '../protocol/output/messages.ts';
import { allMailboxes, limitsFor, listMailboxes, mailboxesOf, messageOutput } from './shared/mailboxes.ts';
import { Meant } from './shared/meant.ts';
import { anybody, type Operation } from './operation.ts';

const Input = z.object({
	/** One mailbox, or all of a task. By default the asking agent's own, or for a person all of the workspace. */
	of: z.optional(Meant),
	/** Archived and withdrawn messages too. */
	all: z.boolean(),
});

const OPEN: readonly MessageState[] = ['queued', 'claimed', 'delivered'];
const ALL: readonly MessageState[] = [...OPEN, 'archived', 'withdrawn'];

/** Lists messages with their states and receipts, mailbox by mailbox. */
export const inbox: Operation<z.infer<typeof Input>, z.infer<typeof InboxOutput>> = {
	name: 'inbox',
	input: Input,
	output: InboxOutput,
	worksUntrusted: true,
	permit: anybody,
	async run(asker, { of, all }, { workspace }) {
		const own = of ?? ownAddress(asker);
		const addresses = own
			? own.worker === undefined
				? await mailboxesOf(workspace, (await workspace.task(own.task)).name)
				: [{ task: own.task, worker: own.worker }]
			: await allMailboxes(workspace);
		const { found, problems } = await listMailboxes(workspace, addresses, all ? ALL : OPEN);
		const limitOf = await limitsFor(found);
		return { messages: found.map(each => messageOutput(each, limitOf)), problems };
	},
};
