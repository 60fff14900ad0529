import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { ownAddress } from '../core/asker/authorOf.ts';
import { permit } from '../core/asker/permit.ts';
import { MESSAGE_STATES } from '../core/mailbox/mailboxPaths.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import { writer } from '../protocol/author.ts';
import { MovedOutput } from '../protocol/output/messages.ts';
import { MessageAt, storedMessage } from './messageAt.ts';
import type { Operation } from './operation.ts';

const Input = z.object({ messages: z.array(MessageAt) });

/** Takes queued messages back. Where one of several cannot be taken back, none is. */
export const withdraw: Operation<z.infer<typeof Input>, MovedOutput> = {
	name: 'withdraw',
	input: Input,
	output: MovedOutput,
	async permit(asker, { messages }, context) {
		const own = ownAddress(asker);
		for (const each of messages) {
			const { id, state, author } = await storedMessage(context.workspace, each, MESSAGE_STATES);
			// An agent must not make the user's words, or another agent's, disappear before they are read.
			permit(asker, { is: 'withdraw', id, isOwn: own !== undefined && writer(author) === mailboxName(own) });
			if (state === 'queued') continue;
			throw new NancyError(
				'not-queued',
				`message ${id} ${state === 'withdrawn' ? 'was taken back before' : 'is not queued any more: the agent has read it'}`,
			);
		}
	},
	async run(_asker, { messages }, { workspace }) {
		for (const { id, ...address } of messages) await workspace.mailbox(address).withdraw(id);
		return { messages: messages.map(each => ({ id: each.id, mailbox: mailboxName(each), state: 'withdrawn' })) };
	},
};
