import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { authorOf } from '../core/asker/authorOf.ts';
import { permit } from '../core/asker/permit.ts';
import { Effect, Priority, type MessageContent } from '../protocol/message.ts';
import { unlessCarried } from './shared/elsewhere.ts';
import { MessageAt } from './shared/messageAt.ts';
import type { Operation } from './operation.ts';
import { refuseEffect } from './send.ts';

const Words = z.object({
	kind: z.enum(['directive', 'feedback']),
	priority: Priority,
	effect: Effect,
	text: z.string(),
});
const Input = z.extend(Words, {
	message: MessageAt,
	/** What the asker has seen and changed. */
	was: Words,
});
const Output = z.object({});

/**
 * Replaces the words of a queued message. From then on they are the asker's. Throws `not-queued` if the agent has read it, and `wrong-state`
 * if somebody else has changed it since the asker saw it: the other's words stay.
 */
export const editMessage: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'editMessage',
	input: Input,
	output: Output,
	async permit(asker, { message }) {
		permit(asker, { is: 'change-queue', what: `edit message ${message.id}` });
	},
	async run(asker, { message, was, ...words }, context) {
		const { id, ...address } = message;
		refuseEffect(words, address);
		const change = (content: MessageContent): MessageContent => {
			if (isDeepStrictEqual(was, Words.safeParse(content).data)) return { ...content, ...words };
			throw new NancyError(
				'wrong-state',
				phrase`the message was changed elsewhere meanwhile, so nothing is saved; copy your text, then edit the message again`,
			);
		};
		await unlessCarried(message, context, () =>
			context.workspace.mailbox(address).edit(id, change, authorOf(asker)),
		);
		return {};
	},
};
