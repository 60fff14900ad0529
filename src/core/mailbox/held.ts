import type { Driver } from '../driver/driver.ts';
import type { WorkerAddress, Workspace } from '../workspace/workspace.ts';

/** Why a queued message still waits, in Nancy's own words. */
export const HELD = {
	ended: 'the agent has ended; resume it to deliver',
	waiting: 'the agent waits for an answer in its terminal',
	resting: 'the agent is idle already; the pause waits for the next prompt',
	unheard: 'the agent is idle and did not answer its bell; it gets the message at its next prompt',
	bell: 'this version of the agent cannot be woken when idle; it gets the message at its next prompt, or by “Nancy: Wake by Typing”',
	brought:
		'the message may have come with the repository: git tracks files of .nancy, or does not say. Look at what is in it, then run ' +
		'“git rm -r --cached .nancy”; “nancy setup” says what else is in the way',
	unhooked: 'the agent was started without hooks and hears nothing; tell it in its terminal, or resume it with hooks',
} as const;

const FIXED: ReadonlySet<string> = new Set(Object.values(HELD));

/** Whether Nancy gave this reason, for an agent of one of these drivers. Somebody else wrote any other reason. */
export function isOurs(reason: string, drivers: readonly Pick<Driver, 'limits'>[]): boolean {
	return FIXED.has(reason) || drivers.some(({ limits }) => limits.wake === reason);
}

/**
 * Removes Nancy's reasons from a worker's messages for a new process of the worker. They do not hold for that process, and without a window
 * nobody else would remove them. Never throws: the message waits for a process either way.
 */
export async function forgetReasons(
	workspace: Workspace,
	address: WorkerAddress,
	driver: Pick<Driver, 'limits'>,
): Promise<void> {
	try {
		const mailbox = workspace.mailbox(address);
		for (const { id, held } of (await mailbox.list(['queued'])).messages)
			if (held !== undefined && isOurs(held, [driver])) await mailbox.setHeld(id, undefined);
	} catch {
		// The keeper of the mailboxes does it later.
	}
}
