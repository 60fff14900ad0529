import { ownAddress } from '../../core/asker/authorOf.ts';
import { operations } from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { MovedOutput } from '../../protocol/output/messages.ts';
import { answer, command } from '../command.ts';
import { findEach, findMessage, messageAt, MESSAGE_IDS, MessageIds } from '../mailboxes.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { findWorkspace } from '../../operations/shared/place.ts';

export const archive = command(
	{
		name: 'archive',
		summary: 'file messages away that were acted on',
		details: [
			'An agent archives what it was told and has done; the human archives what was read. The message is looked for in ' +
				'the own mailbox first, then in the task, then in the whole workspace. What has not been handed to its agent yet ' +
				'cannot be archived: nancy withdraw takes it back.',
		],
		positionals: [MESSAGE_IDS],
		options: {},
		examples: [['nancy archive 20260401T101530123Z-1f2e3d4c', 'files it under archive/']],
	},
	MessageIds,
	async ({ ids }, context) => {
		const workspace = findWorkspace(context);
		// The hook that handed it over may have died before it could file it.
		const own = ownAddress(context.asker);
		if (own) await workspace.mailbox(own).recover();
		const found = await findEach(ids, async typed =>
			messageAt(await findMessage(workspace, context.asker, typed, ['delivered', 'queued', 'archived'])),
		);
		const moved = await perform(
			await operations.archive(),
			context.asker,
			{ messages: found },
			programContext(workspace, context),
		);
		return answer(
			MovedOutput,
			moved,
			moved.messages.map(({ id, mailbox }) => `archived ${id} (${mailbox})`),
		);
	},
);
