import { join } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { folderNames } from '../base/listing.ts';
import type { Asker } from '../core/asker/asker.ts';
import { heldText, type LimitOf } from '../core/mailbox/held.ts';
import type { StoredMessage } from '../core/mailbox/mailboxFiles.ts';
import type { MessageState } from '../core/mailbox/mailboxPaths.ts';
import type { WorkerAddress, Workspace } from '../core/workspace/workspace.ts';
import type { FileProblem } from '../core/files/fileProblem.ts';
import type { MessageAt } from '../operations/messageAt.ts';
import type { MessageOutput } from '../protocol/output/messages.ts';
import { ORCHESTRATOR, WorkerName, type TaskName } from '../protocol/names.ts';
import { mailboxName } from '../core/workspace/mailboxName.ts';
import { ownAddress } from '../core/asker/authorOf.ts';

export interface FoundMessage {
	address: WorkerAddress;
	message: StoredMessage;
}

/** Every mailbox of a task, the human's first. */
export async function mailboxesOf(workspace: Workspace, task: TaskName): Promise<WorkerAddress[]> {
	const names = await folderNames(join(workspace.paths.task(task), 'comms'));
	const workers = names.flatMap(name => {
		const parsed = WorkerName.safeParse(name);
		return parsed.success ? [parsed.data] : [];
	});
	workers.sort((a, b) => Number(b === ORCHESTRATOR) - Number(a === ORCHESTRATOR) || (a < b ? -1 : 1));
	return workers.map(worker => ({ task, worker }));
}

export async function allMailboxes(workspace: Workspace): Promise<WorkerAddress[]> {
	const { tasks } = await workspace.tasks();
	return (await Promise.all(tasks.map(task => mailboxesOf(workspace, task.name)))).flat();
}

export async function listMailboxes(
	workspace: Workspace,
	addresses: readonly WorkerAddress[],
	states: readonly MessageState[],
): Promise<{ found: FoundMessage[]; problems: FileProblem[] }> {
	const found: FoundMessage[] = [];
	const problems: FileProblem[] = [];
	for (const address of addresses) {
		const listing = await workspace.mailbox(address).list(states);
		found.push(...listing.messages.map(message => ({ address, message })));
		problems.push(...listing.problems);
	}
	return { found, problems };
}

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

/** The messages of the ids, each once. All are found before any is changed, so a wrong id changes nothing. */
export async function findEach(
	ids: readonly string[],
	find: (typed: string) => Promise<FoundMessage>,
): Promise<FoundMessage[]> {
	const byFile = new Map<string, FoundMessage>();
	for (const typed of ids) {
		const found = await find(typed);
		byFile.set(found.message.file, found);
	}
	return [...byFile.values()];
}

/** For the operations on messages. */
export function messageAt({ address, message }: FoundMessage): MessageAt {
	return { ...address, id: message.id };
}

export function messageOutput({ address, message }: FoundMessage, limitOf: LimitOf): MessageOutput {
	const { id, state, file, content, author, receipt, held } = message;
	return {
		id,
		mailbox: mailboxName(address),
		state,
		kind: content.kind,
		priority: content.priority,
		effect: content.effect,
		from: content.from,
		author,
		text: content.text,
		file,
		...(receipt && { receipt }),
		...(held !== undefined && { held: heldText(held, limitOf) }),
	};
}

/** The drivers' words about limits. The drivers are loaded only if a message waits for such a reason. */
export async function limitsFor(found: readonly FoundMessage[]): Promise<LimitOf> {
	if (!found.some(({ message }) => message.held?.code === 'limit')) return () => undefined;
	return (await import('../drivers/index.ts')).limitOf;
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
