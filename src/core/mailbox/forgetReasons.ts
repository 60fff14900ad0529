import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

/**
 * Takes back what was said of a worker's messages, for a new process of it: of that it is not so, and where no window looks nobody
 * else would take it back. Never throws: it is a word about the message, which waits for a process either way.
 */
export async function forgetReasons(workspace: Workspace, address: WorkerAddress): Promise<void> {
	try {
		const mailbox = workspace.mailbox(address);
		for (const { id, held } of (await mailbox.list(['queued'])).messages)
			if (held !== undefined) await mailbox.setHeld(id, undefined);
	} catch {
		// Whoever keeps the mailboxes does it later.
	}
}
