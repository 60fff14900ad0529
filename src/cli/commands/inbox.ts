import * as z from 'zod/mini';
import { heldText, type LimitOf } from '../../core/mailbox/held.ts';
import type { MessageState } from '../../core/mailbox/mailboxPaths.ts';
import type { WorkerAddress, Workspace } from '../../core/workspace/workspace.ts';
import { InboxOutput } from '../../protocol/output/messages.ts';
import { ORCHESTRATOR } from '../../protocol/names.ts';
import { resolveAddress, resolveMailbox } from '../addresses.ts';
import { answer, command, type Context } from '../command.ts';
import { allMailboxes, limitsFor, listMailboxes, mailboxesOf, messageOutput, type FoundMessage } from '../mailboxes.ts';
import { findWorkspace } from '../place.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import { ownAddress } from '../../core/asker/authorOf.ts';
import { ago, authorText, indented, printable, printableLine } from '../words.ts';

const Input = z.object({ of: z.optional(z.string()), all: z._default(z.boolean(), false) });

const OPEN: readonly MessageState[] = ['queued', 'claimed', 'delivered'];
const ALL: readonly MessageState[] = [...OPEN, 'archived', 'withdrawn'];

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
		const addresses = await chosenMailboxes(workspace, context, input.of);
		const { found, problems } = await listMailboxes(workspace, addresses, input.all ? ALL : OPEN);
		for (const { file, reason } of problems) context.note(`${file} is not a message: ${reason}`);
		const limitOf = await limitsFor(found);
		return answer(
			InboxOutput,
			{ messages: found.map(each => messageOutput(each, limitOf)), problems },
			found.length === 0 ? 'no messages' : lines(found, limitOf),
		);
	},
);

async function chosenMailboxes(
	workspace: Workspace,
	{ asker }: Context,
	of: string | undefined,
): Promise<WorkerAddress[]> {
	const own = ownAddress(asker);
	if (of === undefined) return own ? [own] : allMailboxes(workspace);
	const { task, worker } = await resolveAddress(workspace, asker, of);
	if (of === ORCHESTRATOR || worker) return [await resolveMailbox(workspace, asker, of)];
	return mailboxesOf(workspace, (await workspace.task(task)).name);
}

function lines(found: readonly FoundMessage[], limitOf: LimitOf): string[] {
	return found.flatMap((item, index) => {
		const heading = mailboxName(item.address);
		const previous = found[index - 1];
		const isFirst = previous === undefined || mailboxName(previous.address) !== heading;
		return [...(isFirst ? [...(index > 0 ? [''] : []), heading] : []), ...messageLines(item, limitOf)];
	});
}

const LONGEST_TEXT = 4000;

function messageLines({ message }: FoundMessage, limitOf: LimitOf): string[] {
	const { id, state, content, author, receipt, held, file } = message;
	const marks = [
		content.priority === 'urgent' ? 'urgent' : '',
		content.kind,
		content.effect === 'none' ? '' : content.effect,
	];
	const proof = receipt
		? [
				`    ${['delivered at', receipt.event, receipt.tool ?? ''].filter(Boolean).join(' ')} (${receipt.rung}), ${ago(receipt.deliveredAt)}${receipt.inContextAt ? ', in context' : ''}`,
			]
		: [];
	const isLong = content.text.length > LONGEST_TEXT;
	const text = isLong ? `${content.text.slice(0, LONGEST_TEXT)} …\n(the whole message: ${file})` : content.text;
	return [
		`  ${state.padEnd(9)}  ${printableLine(id, 200)}  ${marks.filter(Boolean).join(' ')} from ${printableLine(authorText(author))}`,
		...proof,
		...(held === undefined ? [] : [`    held: ${printableLine(heldText(held, limitOf))}`]),
		indented(printable(text), '    '),
	];
}
