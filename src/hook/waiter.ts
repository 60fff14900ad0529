import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFileAtomic, writeFileAtomic } from '../base/atomicFile.ts';
import { identify, isSameProcess, liveness } from '../base/liveness.ts';
import type { SessionId } from '../protocol/names.ts';
import { waiterOf } from '../core/sessions/hearing.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { inHeldFolder } from '../core/files/heldFolder.ts';

/** Time that an ending waiter needs at most. */
const ENDING_MS = 300;

/**
 * Makes the calling guard the one process that waits to wake a session. False if another process does so already; that one will see the new
 * message. The waiter is the guard and not this program: the program asks once, and the guard waits.
 */
export async function becomeWaiter(
	workspace: Workspace,
	session: SessionId,
	guardPid: number,
	transcript: string | undefined,
): Promise<boolean> {
	const file = join(workspace.paths.waiters, session);
	const me = identify(guardPid);
	// The guard asks again if the transcript is newer than this file.
	const words = `${me.pid} ${me.startedTicks} ${me.machine ?? ''}\n${transcript ?? ''}\n`;
	for (const isLastTry of [false, true]) {
		if (await inHeldFolder(file, held => createFileAtomic(held, words))) return true;
		const holder = await waiterOf(workspace, session);
		// A waiter on another machine may be gone, and cannot wake a session that calls from here.
		if (!holder || isSameProcess(holder, me) || liveness(holder) !== 'alive') {
			// If two processes find the waiter dead, both take over. Then there is one wake too many, and no lost message.
			await inHeldFolder(file, held => writeFileAtomic(held, words));
			return true;
		}
		if (!isLastTry) await sleep(ENDING_MS);
	}
	return false;
}
