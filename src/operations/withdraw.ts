import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase, type Phrase } from '../base/phrase.ts';
import { ownAddress } from '../core/asker/authorOf.ts';
import { permit } from '../core/asker/permit.ts';
import { MESSAGE_STATES } from '../core/mailbox/mailboxPaths.ts';
import type { FiledAs } from '../core/mailbox/seal.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import { writer } from '../protocol/author.ts';
import { MovedOutput } from '../protocol/output/messages.ts';
import { refuseCarried } from './shared/elsewhere.ts';
import { MessageAt, storedMessage } from './shared/messageAt.ts';
import type { Operation } from './operation.ts';

const Input = z.object({ messages: z.array(MessageAt) });

/** By what the seal says. No file below the workspace proves that an agent has read anything. */
const whyNot: Readonly<Record<FiledAs | 'handing' | 'unknown', Phrase>> = {
	handing: phrase`is being delivered at this moment`,
	delivered: phrase`is not queued any more: the agent has read it`,
	read: phrase`is not queued any more: it was marked as read`,
	archived: phrase`is not queued any more: it was archived`,
	withdrawn: phrase`was taken back before`,
	unknown: phrase`is not queued, and Nancy has no record of what became of it`,
};

/** Takes queued messages back. Where one of several cannot be taken back, none is. */
export const withdraw: Operation<z.infer<typeof Input>, MovedOutput> = {
	name: 'withdraw',
	input: Input,
	output: MovedOutput,
	async permit(asker, { messages }, context) {
		const own = ownAddress(asker);
		for (const each of messages) {
			const { id, ...address } = each;
			// An agent can move the file away, and back after a refusal. So the seal decides, and the file only without one.
			const mailbox = context.workspace.mailbox(address);
			// A hook that died while it delivered the message keeps nobody from taking it back.
			if (mailbox.standing(id)?.state === 'handing') await mailbox.recover();
			const sealed = mailbox.standing(id);
			const standing = sealed?.state ?? 'unknown';
			const { state, author } =
				sealed && standing === 'queued' ? sealed : await storedMessage(context.workspace, each, MESSAGE_STATES);
			// An agent must not make the user's words, or another agent's, disappear before they are read.
			permit(asker, { is: 'withdraw', id, isOwn: own !== undefined && writer(author) === mailboxName(own) });
			if (standing === 'queued' || state === 'queued') {
				await refuseCarried(each, context);
				continue;
			}
			throw new NancyError('not-queued', phrase`message ${id} ${whyNot[standing]}`);
		}
	},
	async run(_asker, { messages }, { workspace }) {
		const moved: MovedOutput['messages'] = [];
		for (const { id, ...address } of messages) {
			const { mayBeRead } = await workspace.mailbox(address).withdraw(id);
			moved.push({ id, mailbox: mailboxName(address), state: 'withdrawn', ...(mayBeRead && { mayBeRead }) });
		}
		return { messages: moved };
	},
};
