import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import type { Asker } from '../../core/asker/asker.ts';
import { permit } from '../../core/asker/permit.ts';
import { MESSAGE_STATES } from '../../core/mailbox/mailboxFiles.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import { writer } from '../../protocol/author.ts';
import { MovedOutput } from '../../protocol/output/messages.ts';
import { answer, command } from '../command.ts';
import { findEach, findMessage, type FoundMessage } from '../mailboxes.ts';
import { findWorkspace } from '../place.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';
import { authorText } from '../words.ts';
import { moved } from './archive.ts';

const Input = z.object({ ids: z.array(z.string().check(z.minLength(1))) });

export const withdraw = command(
	{
		name: 'withdraw',
		summary: 'take queued messages back',
		details: [
			'Works as long as no agent has read the message. An agent can only take back what it sent itself. Where one of several cannot be ' +
				'taken back, none is.',
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
		examples: [['nancy withdraw 20260401T101530', 'takes back the one message of that second']],
	},
	Input,
	async ({ ids }, context) => {
		const workspace = findWorkspace(context);
		const found = await findEach(ids, typed => findQueued(workspace, context.asker, typed));
		for (const { address, message } of found) await workspace.mailbox(address).withdraw(message.id);
		const messages = found.map(one => moved(one, 'withdrawn'));
		return answer(
			MovedOutput,
			{ messages },
			messages.map(({ id, mailbox }) => `withdrew ${id} (${mailbox})`),
		);
	},
);

async function findQueued(workspace: Workspace, asker: Asker, typed: string): Promise<FoundMessage> {
	const found = await findMessage(workspace, asker, typed, MESSAGE_STATES);
	const { id, state, author } = found.message;
	// An agent must not make the user's words, or another agent's, disappear before they are read.
	const own = ownAddress(asker);
	const isOwn = own !== undefined && writer(author) === mailboxName(own);
	permit(asker, { is: 'withdraw', id, sender: authorText(author), isOwn });
	if (state === 'queued') return found;
	throw new NancyError(
		'not-queued',
		`message ${id} ${state === 'withdrawn' ? 'was taken back before' : 'is not queued any more: the agent has read it'}`,
	);
}
