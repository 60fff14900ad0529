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
import { beingDelivered, carrierOf, unlessCarried } from './shared/elsewhere.ts';
import { MessageAt, storedMessage } from './shared/messageAt.ts';
import { takeBackElsewhere } from './shared/takeBackElsewhere.ts';
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

/**
 * Takes queued messages back. Where one of several cannot be taken back, none is, as far as that is known before the first. A message that was
 * carried to another machine is taken back there first. An agent has no say about another machine.
 */
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
			const isQueued = standing === 'queued' || state === 'queued';
			if ((isQueued || standing === 'handing') && (await carrierOf(each, context))) {
				if (asker.is === 'human') continue;
				throw beingDelivered(id);
			}
			if (isQueued) continue;
			throw new NancyError('not-queued', phrase`message ${id} ${whyNot[standing]}`);
		}
	},
	async run(asker, { messages }, context) {
		const moved: MovedOutput['messages'] = [];
		for (const each of messages) {
			const { id, ...address } = each;
			const carrier = asker.is === 'human' ? await carrierOf(each, context) : undefined;
			const { mayBeRead } = carrier
				? await takeBackElsewhere(each, carrier, context)
				: await unlessCarried(each, context, () => context.workspace.mailbox(address).withdraw(id));
			moved.push({ id, mailbox: mailboxName(address), state: 'withdrawn', ...(mayBeRead && { mayBeRead }) });
		}
		return { messages: moved };
	},
};
