import { NancyError } from '../../base/errors.ts';
import type { DelegateRecord } from '../../protocol/delegate.ts';
import { ORCHESTRATOR, type MessageId } from '../../protocol/names.ts';
import type { WorkerAddress, Workspace } from '../workspace.ts';
import type { Delegate } from './delegates.ts';
import { ownTask } from './ownTask.ts';
import { resultText } from './resultText.ts';

/** Why a message to a delegate still waits. */
const ENDED_UNREAD = 'the delegate ended without reading it';

/** Puts the result into the mailbox of whoever asked for it, once; of the human, where they are gone. */
export async function report(workspace: Workspace, delegate: Delegate): Promise<void> {
	const { record, status } = delegate;
	const id = status.report;
	if (id === undefined) return;
	const unread = await holdUnread(workspace, record);
	const to = await recipient(workspace, record);
	if (await isInMailbox(workspace, to, id)) return;
	try {
		await workspace.sendOnce(to, id, {
			kind: 'result',
			priority: 'normal',
			effect: 'none',
			from: `${record.task}/${record.worker}`,
			text: await resultText(delegate, unread),
		});
	} catch (error) {
		// Somebody else has just sent it.
		const isTwice = error instanceof NancyError && error.code === 'bad-message';
		if (!isTwice || !(await isInMailbox(workspace, to, id))) throw error;
	}
}

/** Who asked; where they have been deleted meanwhile, the human of the task, or of the delegates' own. */
async function recipient(workspace: Workspace, { parent, task, agent }: DelegateRecord): Promise<WorkerAddress> {
	const asker = parent ?? { task, worker: ORCHESTRATOR };
	for (const to of [asker, { task, worker: ORCHESTRATOR }]) if (await isThere(workspace, to)) return to;
	return { task: await ownTask(workspace, agent), worker: ORCHESTRATOR };
}

async function isThere(workspace: Workspace, to: WorkerAddress): Promise<boolean> {
	try {
		await workspace.task(to.task);
	} catch (error) {
		if (error instanceof NancyError && error.code === 'no-task') return false;
		throw error;
	}
	if (to.worker === ORCHESTRATOR) return true;
	// A record that cannot be read is somebody's.
	return workspace.worker(to).then(
		record => record !== undefined,
		() => true,
	);
}

/** What was sent to a delegate that has ended stays in its inbox, with the reason. Returns the texts. */
async function holdUnread(workspace: Workspace, { task, worker }: DelegateRecord): Promise<string[]> {
	const mailbox = workspace.mailbox({ task, worker });
	await mailbox.recover();
	const { messages } = await mailbox.list(['queued']);
	for (const { id } of messages) await mailbox.setHeld(id, ENDED_UNREAD);
	return messages.map(({ content }) => content.text);
}

async function isInMailbox(workspace: Workspace, to: WorkerAddress, id: MessageId): Promise<boolean> {
	const { messages } = await workspace.mailbox(to).list();
	return messages.some(message => message.id === id);
}
