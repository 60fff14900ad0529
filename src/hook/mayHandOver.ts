import { errorText } from '../base/errors.ts';
import type { Mailbox } from '../core/mailbox.ts';
import type { StoredMessage } from '../core/mailboxFiles.ts';
import type { Workspace } from '../core/workspace.ts';

/**
 * Whether messages that are due may reach the agent: not where git tracks files of `.nancy`, for a pull may have brought them, under
 * whatever name. They stay queued, and say why. Costs a start of git, so it is asked only once there is something to hand over.
 */
export async function mayHandOver(
	workspace: Workspace,
	mailbox: Mailbox,
	due: readonly StoredMessage[],
): Promise<boolean> {
	const { refuseTracked } = await import('../process/refuseTracked.ts'); // not needed by any other call of this program
	try {
		await refuseTracked(workspace);
		return true;
	} catch (error) {
		const reason = errorText(error);
		for (const { id } of due.filter(({ held }) => held !== reason)) await mailbox.setHeld(id, reason);
		return false;
	}
}
