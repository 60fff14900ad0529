import { MESSAGE_STATES } from '../../core/mailbox/mailboxPaths.ts';
import { operations } from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { MovedOutput } from '../../protocol/output/messages.ts';
import { answer, command } from '../command.ts';
import { findEach, findMessage, findWaiting, messageAt, MESSAGE_IDS, MessageIds } from '../mailboxes.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import { findWorkspace } from '../../operations/shared/place.ts';

export const withdraw = command(
	{
		name: 'withdraw',
		summary: 'take queued messages back',
		details: [
			'Works as long as no agent has read the message. An agent can only take back what it sent itself. Where one of several cannot be ' +
				'taken back, none is.',
		],
		positionals: [MESSAGE_IDS],
		options: {},
		examples: [['nancy withdraw 20260401T101530', 'takes back the one message of that second']],
	},
	MessageIds,
	async ({ ids }, context) => {
		const workspace = findWorkspace(context);
		const found = await findEach(
			ids,
			async typed =>
				(await findWaiting(workspace, context.asker, typed)) ??
				messageAt(await findMessage(workspace, context.asker, typed, MESSAGE_STATES)),
		);
		const moved = await perform(
			await operations.withdraw(),
			context.asker,
			{ messages: found },
			programContext(workspace, context),
		);
		return answer(
			MovedOutput,
			moved,
			moved.messages.map(
				({ id, mailbox, mayBeRead }) =>
					`withdrew ${id} (${mailbox})${mayBeRead ? '; an agent may have read it before' : ''}`,
			),
		);
	},
);
