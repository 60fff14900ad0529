import * as z from 'zod/mini';
import { NancyError } from '../../base/errors.ts';
import type { WorkerAddress } from '../../core/workspace.ts';
import { MovedOutput } from '../../protocol/output/messages.ts';
import { ORCHESTRATOR, type MessageId } from '../../protocol/names.ts';
import { answer, command } from '../command.ts';
import { findMessage, type FoundMessage } from '../mailboxes.ts';
import { findWorkspace, mailboxName, type Caller } from '../place.ts';

const Input = z.object({ ids: z.array(z.string().check(z.minLength(1))) });

export const archive = command(
	{
		name: 'archive',
		summary: 'file messages away that were acted on',
		details: [
			'An agent archives what it was told and has done; the human archives what was read. The message is looked for in ' +
				'the own mailbox first, then in the task, then in the whole workspace. What another agent has not read yet cannot ' +
				'be archived: nancy withdraw takes it back.',
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
		const messages = [];
		for (const typed of ids) {
			// The hook that handed it over may have died before it could file it.
			if (context.caller.is === 'worker') await workspace.mailbox(context.caller.address).recover();
			const found = await findMessage(workspace, context.caller, typed, ['queued', 'delivered', 'archived']);
			refuseUnread(context.caller, found);
			await workspace.mailbox(found.address).archive(found.message.id);
			messages.push(moved(found, 'archived'));
		}
		return answer(
			MovedOutput,
			{ messages },
			messages.map(({ id, mailbox }) => `archived ${id} (${mailbox})`),
		);
	},
);

/** Archiving a queued message would keep it from its reader; only the reader may, who has seen it in `nancy inbox`. */
function refuseUnread(caller: Caller, { address, message }: FoundMessage): void {
	if (message.state !== 'queued') return;
	const isOwn = caller.is === 'human' ? address.worker === ORCHESTRATOR : isSame(caller.address, address);
	if (isOwn) return;
	throw new NancyError(
		'busy',
		`${mailboxName(address)} has not read message ${message.id} yet; nancy withdraw ${message.id} takes it back`,
	);
}

function isSame(a: WorkerAddress, b: WorkerAddress): boolean {
	return a.task === b.task && a.worker === b.worker;
}

export function moved(
	{ address, message }: FoundMessage,
	state: 'archived' | 'withdrawn',
): { id: MessageId; mailbox: string; state: 'archived' | 'withdrawn' } {
	return { id: message.id, mailbox: mailboxName(address), state };
}
