import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import type { Asker } from '../../core/asker/asker.ts';
import { permit } from '../../core/asker/permit.ts';
import { MovedOutput } from '../../protocol/output/messages.ts';
import { ORCHESTRATOR, type MessageId } from '../../protocol/names.ts';
import { answer, command } from '../command.ts';
import { findEach, findMessage, type FoundMessage } from '../mailboxes.ts';
import { findWorkspace } from '../place.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';

const Input = z.object({ ids: z.array(z.string().check(z.minLength(1))) });

export const archive = command(
	{
		name: 'archive',
		summary: 'file messages away that were acted on',
		details: [
			'An agent archives what it was told and has done; the human archives what was read. The message is looked for in ' +
				'the own mailbox first, then in the task, then in the whole workspace. What has not been handed to its agent yet ' +
				'cannot be archived: nancy withdraw takes it back.',
		],
		positionals: [
			{
				name: 'ids',
				label: '<id>',
				help: 'a message id, or as much of its beginning as is unambiguous',
				required: true,
				many: true,
			},
		],
		options: {},
		examples: [['nancy archive 20260401T101530123Z-1f2e3d4c', 'files it under archive/']],
	},
	Input,
	async ({ ids }, context) => {
		const workspace = findWorkspace(context);
		// The hook that handed it over may have died before it could file it.
		const own = ownAddress(context.asker);
		if (own) await workspace.mailbox(own).recover();
		const found = await findEach(ids, async typed => {
			const one = await findMessage(workspace, context.asker, typed, ['delivered', 'queued', 'archived']);
			refuseUnread(context.asker, one);
			permit(context.asker, { is: 'archive', mailbox: one.address });
			return one;
		});
		for (const { address, message } of found) await workspace.mailbox(address).archive(message.id);
		const messages = found.map(one => moved(one, 'archived'));
		return answer(
			MovedOutput,
			{ messages },
			messages.map(({ id, mailbox }) => `archived ${id} (${mailbox})`),
		);
	},
);

/**
 * Archiving a queued message would keep it from its reader. The human has read the message in the list. An agent can list it too, but has
 * read only messages with a receipt.
 */
function refuseUnread(asker: Asker, { address, message }: FoundMessage): void {
	if (message.state !== 'queued' || (asker.is === 'human' && address.worker === ORCHESTRATOR)) return;
	const own = ownAddress(asker);
	const why =
		own && mailboxName(address) === mailboxName(own)
			? `message ${message.id} has not been handed over yet: it comes at a tool call or when you stop`
			: `${mailboxName(address)} has not read message ${message.id} yet; nancy withdraw ${message.id} takes it back`;
	throw new NancyError('busy', why);
}

export function moved(
	{ address, message }: FoundMessage,
	state: 'archived' | 'withdrawn',
): { id: MessageId; mailbox: string; state: 'archived' | 'withdrawn' } {
	return { id: message.id, mailbox: mailboxName(address), state };
}
