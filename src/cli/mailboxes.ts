import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import type { Asker } from '../core/asker/asker.ts';
import { ownAddress } from '../core/asker/authorOf.ts';
import type { MessageState } from '../core/mailbox/mailboxPaths.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import { allMailboxes, listMailboxes, type FoundMessage } from '../operations/shared/mailboxes.ts';
import type { MessageAt } from '../operations/shared/messageAt.ts';
import { MessageId } from '../protocol/names.ts';

/** The arguments of a command on messages: {@link MESSAGE_IDS}. */
export const MessageIds = z.object({ ids: z.array(z.string().check(z.minLength(1))) });

export const MESSAGE_IDS = {
	name: 'ids',
	label: '<id>',
	help: 'a message id, or as much of its beginning as is unambiguous',
	required: true,
	many: true,
} as const;

/**
 * The message with the id `typed`, or with an id that begins so. Searches the asker's own mailbox first, then its task, then the whole
 * workspace; the first place that knows the id counts.
 * @param states if a file's name was used before, the message in the first of these states is meant
 */
export async function findMessage(
	workspace: Workspace,
	asker: Asker,
	typed: string,
	states: readonly MessageState[],
): Promise<FoundMessage> {
	for (const addresses of await searchOrder(workspace, asker)) {
		const { found } = await listMailboxes(workspace, addresses, states);
		const exact = states
			.map(state => found.filter(({ message }) => message.id === typed && message.state === state))
			.find(inState => inState.length > 0);
		const matches = exact ?? found.filter(({ message }) => message.id.startsWith(typed));
		const [first, second] = matches;
		if (first && !second) return first;
		if (first) throw ambiguous(typed, matches);
	}
	throw new NancyError('no-message', `there is no such message "${typed}"; nancy inbox lists the messages`);
}

/** The message with exactly the id `typed` that waits by its seal, in the order of {@link findMessage}. Its file may be anywhere. */
export async function findWaiting(workspace: Workspace, asker: Asker, typed: string): Promise<MessageAt | undefined> {
	const id = MessageId.safeParse(typed);
	if (!id.success) return undefined;
	const isThere = (address: WorkerAddress) => workspace.mailbox(address).standing(id.data)?.state === 'queued';
	const found = (await searchOrder(workspace, asker)).flat().find(isThere);
	return found && { ...found, id: id.data };
}

/** The messages of the ids, each once. All are found before any is changed, so a wrong id changes nothing. */
export async function findEach(
	ids: readonly string[],
	find: (typed: string) => Promise<MessageAt>,
): Promise<MessageAt[]> {
	const byPlace = new Map<string, MessageAt>();
	for (const typed of ids) {
		const found = await find(typed);
		byPlace.set(`${mailboxName(found)} ${found.id}`, found);
	}
	return [...byPlace.values()];
}

/** For the operations on messages. */
export function messageAt({ address, message }: FoundMessage): MessageAt {
	return { ...address, id: message.id };
}

async function searchOrder(workspace: Workspace, asker: Asker): Promise<WorkerAddress[][]> {
	const everywhere = await allMailboxes(workspace);
	const own = ownAddress(asker);
	if (!own) return [everywhere];
	const { task, worker } = own;
	return [[own], everywhere.filter(address => address.task === task && address.worker !== worker), everywhere];
}

function ambiguous(typed: string, matches: readonly FoundMessage[]): NancyError {
	const candidates = matches.slice(0, 5).map(({ address, message }) => `${message.id} (${mailboxName(address)})`);
	return new NancyError('bad-usage', `"${typed}" could be ${candidates.join(', ')}; give more of the id`);
}
