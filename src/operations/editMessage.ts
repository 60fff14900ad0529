import * as z from 'zod/mini';
import { authorOf } from '../core/asker/authorOf.ts';
import { permit } from '../core/asker/permit.ts';
import { Effect, Priority } from '../protocol/message.ts';
import { MessageAt } from './messageAt.ts';
import type { Operation } from './operation.ts';
import { refuseEffect } from './send.ts';

const Input = z.object({
	message: MessageAt,
	kind: z.enum(['directive', 'feedback']),
	priority: Priority,
	effect: Effect,
	text: z.string(),
});
const Output = z.object({});

/** Replaces the words of a queued message. From then on they are the asker's. Throws `not-queued` if the agent has read it. */
export const editMessage: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'editMessage',
	input: Input,
	output: Output,
	async permit(asker, { message }) {
		permit(asker, { is: 'change-queue', what: `edit message ${message.id}` });
	},
	async run(asker, { message, ...words }, { workspace }) {
		const { id, ...address } = message;
		refuseEffect(words, address);
		await workspace.mailbox(address).edit(id, content => ({ ...content, ...words }), authorOf(asker));
		return {};
	},
};
