import * as z from 'zod/mini';
import { MessageId, SessionId } from '../protocol/names.ts';
import { anybody, type Operation } from './operation.ts';
import { ownMailbox } from './shared/ownMailbox.ts';

const Input = z.object({
	/** As the agent's CLI names it. */
	session: z.optional(SessionId),
	/** What it was handed last. */
	messages: z.array(MessageId),
});
const Output = z.object({});

/**
 * Queues messages of the asking agent again that it was handed and did not take. Its CLI broke the call off while the answer was on its way.
 * Nobody knows whether the agent has read them, and the next delivery says so.
 */
export const returnFeedback: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'returnFeedback',
	input: Input,
	output: Output,
	permit: anybody,
	async run(asker, { session, messages }, context) {
		const { address } = await ownMailbox(asker, context, session);
		const mailbox = context.workspace.mailbox(address);
		for (const id of messages) mailbox.requeue(id);
		// The part of a long message is not there either.
		mailbox.forgetParts();
		return {};
	},
};
