import { basename } from 'node:path';
import type { Mailbox } from '../core/mailbox/mailbox.ts';
import type { StoredMessage } from '../core/mailbox/mailboxFiles.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { mayTrack } from './mayTrack.ts';

/**
 * Whether due messages may reach the agent. Not if git tracks files of `.nancy`, whatever their names: a pull may have brought them. The
 * messages then stay queued, with the reason. Asked only for a delivery, and of git only if its index may hold the name: starting git takes
 * a third of a delivery.
 */
export async function mayHandOver(
	workspace: Workspace,
	mailbox: Mailbox,
	due: readonly StoredMessage[],
): Promise<boolean> {
	if (!mayTrack(workspace.folder, basename(workspace.paths.root))) return true;
	const { refuseTracked } = await import('./refuseTracked.ts'); // seldom needed, and brings node:child_process
	try {
		await refuseTracked(workspace);
		return true;
	} catch {
		for (const { id } of due.filter(({ held }) => held?.code !== 'brought'))
			await mailbox.setHeld(id, { code: 'brought' });
		return false;
	}
}
