import * as z from 'zod/mini';
import type { Workspace } from '../../core/workspace/workspace.ts';
import * as operations from '../../operations/index.ts';
import { perform } from '../../operations/operation.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import { InboxOutput, type MessageOutput } from '../../protocol/output/messages.ts';
import { resolveAddress, resolveMailbox } from '../../operations/shared/addresses.ts';
import { answer, command, type Context } from '../command.ts';
import { programContext } from '../../operations/shared/programContext.ts';
import type { Meant } from '../../operations/shared/meant.ts';
import { findWorkspace } from '../../operations/shared/place.ts';
import { ago, authorText, indented, printable, printableLine, printablePath } from '../words.ts';

const Input = z.object({ of: z.optional(z.string()), all: z._default(z.boolean(), false) });

export const inbox = command(
	{
		name: 'inbox',
		summary: 'list messages with their states and receipts',
		details: [
			'Without an argument: in a terminal that Nancy started, the own mailbox; elsewhere every mailbox of the workspace.',
			'A message is queued, claimed (being handed over), delivered (the agent has it), archived (acted on) or withdrawn.',
		],
		positionals: [
			{
				name: 'of',
				label: '<task>[/<worker>]',
				help: 'whose messages; <task>/orchestrator is the human',
				required: false,
			},
		],
		options: { all: { short: 'a', help: 'archived and withdrawn messages too' } },
		examples: [
			['nancy inbox fix-login', 'everything that was sent in one task'],
			['nancy inbox fix-login/orchestrator --json', 'what its agents wrote to the human, for a program'],
		],
	},
	Input,
	async (input, context) => {
		const workspace = findWorkspace(context);
		const of = input.of === undefined ? undefined : await chosen(workspace, context, input.of);
		const where = programContext(workspace, context);
		const found = await perform(await operations.inbox(), context.asker, { of, all: input.all }, where);
		for (const { file, reason } of found.problems)
			context.note(`${printablePath(file)} is not a message: ${reason}`);
		return answer(InboxOutput, found, found.messages.length === 0 ? 'no messages' : lines(found.messages));
	},
);

/** A task alone means all its mailboxes. */
async function chosen(workspace: Workspace, { asker }: Context, of: string): Promise<Meant> {
	const address = await resolveAddress(workspace, asker, of);
	return of === ORCHESTRATOR || address.worker ? resolveMailbox(workspace, asker, of) : address;
}

function lines(messages: readonly MessageOutput[]): string[] {
	return messages.flatMap((message, index) => {
		const { mailbox } = message;
		const heading = mailbox === messages[index - 1]?.mailbox ? [] : [...(index > 0 ? [''] : []), mailbox];
		return [...heading, ...messageLines(message)];
	});
}

const LONGEST_TEXT = 4000;

function messageLines({
	id,
	state,
	kind,
	priority,
	effect,
	text,
	author,
	receipt,
	held,
	file,
}: MessageOutput): string[] {
	const marks = [priority === 'urgent' ? 'urgent' : '', kind, effect === 'none' ? '' : effect];
	const proof = receipt
		? [
				`    ${['delivered at', receipt.event, receipt.tool ?? ''].filter(Boolean).join(' ')} (${receipt.rung}), ${ago(receipt.deliveredAt)}${receipt.inContextAt ? ', in context' : ''}`,
			]
		: [];
	const shown = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)} …\n(the whole message: ${file})` : text;
	return [
		`  ${state.padEnd(9)}  ${printableLine(id, 200)}  ${marks.filter(Boolean).join(' ')} from ${printableLine(authorText(author))}`,
		...proof,
		...(held === undefined ? [] : [`    held: ${printableLine(held)}`]),
		indented(printable(shown), '    '),
	];
}
