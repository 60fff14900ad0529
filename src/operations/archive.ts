import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { theWorker } from '../core/workspace/named.ts';
import type { Asker } from '../core/asker/asker.ts';
import { ownAddress } from '../core/asker/authorOf.ts';
import { permit } from '../core/asker/permit.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { ORCHESTRATOR } from '../protocol/names.ts';
import { MovedOutput } from '../protocol/output/messages.ts';
import { MessageAt, storedMessage } from './shared/messageAt.ts';
import type { Operation } from './operation.ts';

const Input = z.object({ messages: z.array(MessageAt) });

/** Files messages away that were acted on. Where one of several may not be archived, none is. */
export const archive: Operation<z.infer<typeof Input>, MovedOutput> = {
	name: 'archive',
	input: Input,
	output: MovedOutput,
	async permit(asker, { messages }, context) {
		for (const each of messages) {
			await refuseUnread(context.workspace, asker, each);
			permit(asker, { is: 'archive', mailbox: each });
		}
	},
	async run(_asker, { messages }, { workspace }) {
		for (const { id, ...address } of messages) await workspace.mailbox(address).archive(id);
		return { messages: messages.map(each => ({ id: each.id, mailbox: mailboxName(each), state: 'archived' })) };
	},
};

/**
 * Archiving a queued message would keep it from its reader. The human has read the message in the list. An agent can list it too, but has
 * read only messages with a receipt.
 */
async function refuseUnread(workspace: Workspace, asker: Asker, at: MessageAt): Promise<void> {
	const { id, state } = await storedMessage(workspace, at, ['delivered', 'queued', 'archived']);
	if (state !== 'queued' || (asker.is === 'human' && at.worker === ORCHESTRATOR)) return;
	const own = ownAddress(asker);
	const why =
		own && mailboxName(at) === mailboxName(own)
			? phrase`message ${id} has not been handed over yet: it comes at a tool call or when you are done`
			: phrase`${theWorker(at)} has not read message ${id} yet; nancy withdraw ${id} takes it back`;
	throw new NancyError('busy', why);
}
