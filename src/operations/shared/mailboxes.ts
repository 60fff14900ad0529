import { join } from 'node:path';
import { folderNames } from '../../base/listing.ts';
import type { FileProblem } from '../../core/files/fileProblem.ts';
import { heldText, type LimitOf } from '../../core/mailbox/held.ts';
import type { StoredMessage } from '../../core/mailbox/mailboxFiles.ts';
import type { MessageState } from '../../core/mailbox/mailboxPaths.ts';
import { mailboxName } from '../../core/workspace/mailboxName.ts';
import type { WorkerAddress, Workspace } from '../../core/workspace/workspace.ts';
import { ORCHESTRATOR, WorkerName, type TaskName } from '../../protocol/names.ts';
import type { MessageOutput } from '../../protocol/output/messages.ts';

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
		...(held !== undefined && { held: String(heldText(held, limitOf)) }),
	};
}

/** The drivers' words about limits. The drivers are loaded only if a message waits for such a reason. */
export async function limitsFor(found: readonly FoundMessage[]): Promise<LimitOf> {
	if (!found.some(({ message }) => message.held?.code === 'limit')) return () => undefined;
	return (await import('../../drivers/index.ts')).limitOf;
}
