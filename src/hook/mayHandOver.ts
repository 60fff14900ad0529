import { basename } from 'node:path';
import type { Mailbox } from '../core/mailbox/mailbox.ts';
import type { StoredMessage } from '../core/mailbox/mailboxFiles.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { mayTrack } from '../git/mayTrack.ts';

/**
 * Whether messages that are due may reach the agent: not where git tracks files of `.nancy`, for a pull may have brought them, under
 * whatever name. They stay queued, and say why. Asked only once there is something to hand over, and of git only where its index may say so: a
 * start of it takes a third of all that a delivery does.
 */
export async function mayHandOver(
	workspace: Workspace,
	mailbox: Mailbox,
	due: readonly StoredMessage[],
): Promise<boolean> {
	if (!mayTrack(workspace.folder, basename(workspace.paths.root))) return true;
	const { refuseTracked } = await import('../git/refuseTracked.ts'); // seldom needed, and brings node:child_process
	try {
		await refuseTracked(workspace);
		return true;
	} catch {
		for (const { id } of due.filter(({ held }) => held?.code !== 'brought'))
			await mailbox.setHeld(id, { code: 'brought' });
		return false;
	}
}
