import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

/**
 * Removes the reasons from a worker's messages for a new process of the worker. They do not hold for that process, and without a window
 * nobody else would remove them. Never throws: the message waits for a process either way.
 */
export async function forgetReasons(workspace: Workspace, address: WorkerAddress): Promise<void> {
	try {
		const mailbox = workspace.mailbox(address);
		for (const { id, held } of (await mailbox.list(['queued'])).messages)
			if (held !== undefined) await mailbox.setHeld(id, undefined);
	} catch {
		// The keeper of the mailboxes does it later.
	}
}
