import { rmSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inHeldFolder, inHeldFolderSync } from '../files/heldFolder.ts';
import { writeInPlace } from '../files/links.ts';
import { readMark } from '../files/plainFile.ts';
import type { Mailbox } from '../mailbox/mailbox.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Effect } from '../../protocol/message.ts';
import type { SessionId } from '../../protocol/names.ts';

/**
 * How long a halt lasts if the CLI does not report the end of a batch of tool calls, in milliseconds. The calls of one batch ask within a
 * second or two. The call after the denial needs a round trip to the model first. A faster one is denied once more than necessary, and the
 * agent tries again.
 */
const BESIDE_MS = 2000;

/**
 * A halt stops the whole batch of tool calls. Only one call's hook can hand the message over, so the other calls are denied as well until
 * the batch ends.
 */
export async function beginHalt(workspace: Workspace, session: SessionId, effect: Effect): Promise<void> {
	await inHeldFolder(haltFile(workspace, session), file => writeInPlace(file, `${effect}\n`, 'overwrite'));
}

export function endHalt(workspace: Workspace, session: SessionId): void {
	inHeldFolderSync(haltFile(workspace, session), file => rmSync(file, { force: true, recursive: true }));
}

/**
 * The halt that covers this tool call, although another call of the same batch gets its message.
 * @param hasBatchEnd whether the CLI reports the end of a batch. That may come long after the halt, because a call beside the halted one
 * may run for minutes
 */
export async function currentHalt(
	workspace: Workspace,
	session: SessionId,
	mailbox: Mailbox,
	hasBatchEnd: () => Promise<boolean>,
): Promise<Effect> {
	// In this order: the claim comes before the file, and the filing after it.
	const { messages } = await mailbox.list(['claimed']);
	const word = await haltWord(workspace, session, hasBatchEnd);
	const effects = new Set([word, ...messages.map(message => message.content.effect)]);
	return effects.has('pause') ? 'pause' : effects.has('halt') ? 'halt' : 'none';
}

/** Removes a halt that is over, because the guard starts this program as long as there is one. */
async function haltWord(
	workspace: Workspace,
	session: SessionId,
	hasBatchEnd: () => Promise<boolean>,
): Promise<string | undefined> {
	const file = haltFile(workspace, session);
	const begun = await stat(file).catch(() => undefined);
	if (begun && Date.now() - begun.mtimeMs > BESIDE_MS && !(await hasBatchEnd())) {
		endHalt(workspace, session);
		return undefined;
	}
	return (await readMark(file))?.trim();
}

export const HALTED_BESIDE =
	'[Nancy] Not run: a message that halts the tool calls of this step came with the call beside this one. Read it first.';

function haltFile(workspace: Workspace, session: SessionId): string {
	return join(workspace.paths.halts, session);
}
