import { hasCode } from '../../base/errors.ts';
import { liveness } from '../../base/liveness.ts';
import type { DelegateRecord } from '../../protocol/delegate.ts';
import { UNKNOWN_AUTHOR, type Author } from '../../protocol/author.ts';
import { ORCHESTRATOR, type MessageId, type TaskName } from '../../protocol/names.ts';
import { processesOf } from '../sessions/sealedAgents.ts';
import { isSameAddress, type Words, type WorkerAddress, type Workspace } from '../workspace/workspace.ts';
import type { Delegate } from './delegate.ts';
import type { Delegates } from './delegates.ts';
import { ownTask } from './ownTask.ts';
import { reportable } from './reportable.ts';
import { changedText, resultText, type Unread } from './resultText.ts';
import { Tickets } from './tickets.ts';

/**
 * Puts the result into the asker's mailbox, once. If the asker is gone or has ended, the asker's asker gets it, and in the end the human.
 * The delegate's unread results go the same way. Needs the lock: the asker must not end meanwhile.
 * @param output what the delegate has printed
 */
export async function report(delegates: Delegates, delegate: Delegate, output: string): Promise<void> {
	const { workspace } = delegates;
	const { record, status, isChanged } = delegate;
	const id = status.report;
	if (id === undefined) return;
	// By its ticket: a changed record may name another's.
	const facts = await ticketsOf(workspace).facts(record.id);
	const hasMailbox = !isChanged || facts?.mailbox !== undefined;
	if (hasMailbox) await passOnResults(delegates, record);
	const held = hasMailbox ? await holdUnread(workspace, record) : [];
	// An isolated agent can write the seals there, and with them the words of any author.
	const unread = facts?.isolate ? held.map(each => ({ ...each, author: UNKNOWN_AUTHOR })) : held;
	const { to, passed } = await recipient(delegates, record);
	// An asker that has ended since has passed it on.
	for (const each of [...passed, to]) if (await isInMailbox(workspace, each, id)) return;
	const text = isChanged ? changedText(record.id) : resultText(delegate, output, unread);
	// The files of a changed delegate are never quoted, so the words are Nancy's own.
	const author: Author = isChanged
		? { is: 'nancy' }
		: { is: 'delegate', id: record.id, worker: `${record.task}/${record.worker}` };
	await sendOnce(workspace, to, id, { kind: 'result', priority: 'normal', effect: 'none', text }, author);
}

/**
 * An ended delegate reads no result of its own delegates any more, so those who wait for its answer get them. Needs the lock.
 * @param refuse throws if nothing may be sent; asked only if there is something
 */
export async function passOnResults(
	delegates: Delegates,
	record: DelegateRecord,
	refuse: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
	const { workspace } = delegates;
	// It had no delegates: what lies there as their results may be its own words.
	if ((await ticketsOf(workspace).facts(record.id))?.isolate) return;
	const mailbox = workspace.mailbox({ task: record.task, worker: record.worker });
	await mailbox.recover();
	const { messages } = await mailbox.list(['queued']);
	for (const { id, content, author } of messages.filter(each => each.content.kind === 'result')) {
		await refuse();
		const { to } = await recipient(delegates, record);
		// Killed in between, it is there twice and sent once.
		if (!(await isInMailbox(workspace, to, id))) await sendOnce(workspace, to, id, content, author);
		await mailbox.withdraw(id);
	}
}

async function sendOnce(
	workspace: Workspace,
	to: WorkerAddress,
	id: MessageId,
	words: Words,
	author: Author,
): Promise<void> {
	try {
		await workspace.sendOnce(to, id, words, author);
	} catch (error) {
		// Somebody else has just sent it.
		const isTwice = hasCode(error, 'bad-message');
		if (!isTwice || !(await isInMailbox(workspace, to, id))) throw error;
	}
}

/** The asker; for ended delegates, their askers. If these have been deleted, the human of the task, or of the delegates' own. */
async function recipient(
	delegates: Delegates,
	{ parent, task, agent }: DelegateRecord,
): Promise<{ to: WorkerAddress; passed: readonly WorkerAddress[] }> {
	const { workspace } = delegates;
	const passed: WorkerAddress[] = [];
	let to = parent ?? human(task);
	for (let above = await endedAt(delegates, to); above; above = await endedAt(delegates, to)) {
		// Records that name one another in a circle lead to nobody.
		if (passed.some(each => isSameAddress(each, to))) break;
		passed.push(to);
		to = above.parent ?? human(above.task);
	}
	for (const each of [to, human(task)]) if (await isThere(workspace, each)) return { to: each, passed };
	return { to: human(await ownTask(workspace, agent)), passed };
}

function human(task: TaskName): WorkerAddress {
	return { task, worker: ORCHESTRATOR };
}

/** The delegate with this mailbox, if it reads nothing any more. By its ticket: files below `.nancy` could name another asker. */
async function endedAt(
	delegates: Delegates,
	at: WorkerAddress,
): Promise<Pick<DelegateRecord, 'parent' | 'task'> | undefined> {
	const { workspace } = delegates;
	const tickets = ticketsOf(workspace);
	const ended = at.worker === ORCHESTRATOR ? undefined : await tickets.endedAt(at);
	if (!ended) return undefined;
	// Somebody has continued its session in a terminal.
	const { folder } = workspace;
	const processes = processesOf(workspace.own.dataFolder, { folder, address: at });
	if (processes.some(({ process }) => liveness(process) === 'alive')) return undefined;
	const found = await delegates.find(ended.id).catch(() => undefined);
	const parent = found && (await reportable(delegates, tickets, found)).record.parent;
	return { task: at.task, parent: ended.facts.parent ?? parent };
}

function ticketsOf({ own, folder }: Workspace): Tickets {
	return new Tickets(own.dataFolder, folder);
}

async function isThere(workspace: Workspace, to: WorkerAddress): Promise<boolean> {
	try {
		await workspace.task(to.task);
	} catch (error) {
		if (hasCode(error, 'no-task')) return false;
		throw error;
	}
	if (to.worker === ORCHESTRATOR) return true;
	// An unreadable record counts as in use.
	return workspace.worker(to).then(
		record => record !== undefined,
		() => true,
	);
}

/** Messages that were sent to an ended delegate stay in its inbox, with the reason. Returns them. */
async function holdUnread(workspace: Workspace, { task, worker }: DelegateRecord): Promise<readonly Unread[]> {
	const mailbox = workspace.mailbox({ task, worker });
	await mailbox.recover();
	const { messages } = await mailbox.list(['queued']);
	for (const { id } of messages) await mailbox.setHeld(id, { code: 'ended-unread' });
	return messages;
}

async function isInMailbox(workspace: Workspace, to: WorkerAddress, id: MessageId): Promise<boolean> {
	const mailbox = workspace.mailbox(to);
	const standing = mailbox.standing(id);
	// The id is in `.nancy` before the result is. Anybody can put a file of that name into the mailbox.
	if (!standing || standing.author.is === 'unknown') return false;
	if (standing.state !== 'queued') return true;
	const { messages } = await mailbox.list();
	return messages.some(message => message.id === id && message.author.is !== 'unknown');
}
