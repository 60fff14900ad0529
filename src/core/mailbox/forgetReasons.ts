import type { Mailbox } from './mailbox.ts';

/**
 * Removes the reasons from the messages of a worker's mailbox for a new process of the worker. They do not hold for that process, and
 * without a window nobody else would remove them. Never throws: the message waits for a process either way.
 */
export async function forgetReasons(mailbox: Mailbox): Promise<void> {
	try {
		for (const { id, held } of (await mailbox.list(['queued'])).messages)
			if (held !== undefined) await mailbox.setHeld(id, undefined);
	} catch {
		// The keeper of the mailboxes does it later.
	}
}
