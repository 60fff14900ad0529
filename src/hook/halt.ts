import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readTextIfExists } from '../base/atomicFile.ts';
import type { Mailbox } from '../core/mailbox.ts';
import type { Workspace } from '../core/workspace.ts';
import type { Effect } from '../protocol/message.ts';
import type { SessionId } from '../protocol/names.ts';

/**
 * A halt stops the whole batch of tool calls it meets, but only one call's hook can hand it over: the others are denied as
 * well, until the batch ends.
 */
export async function beginHalt(workspace: Workspace, session: SessionId, effect: Effect): Promise<void> {
	const file = haltFile(workspace, session);
	await mkdir(dirname(file), { recursive: true, mode: 0o700 });
	await writeFile(file, `${effect}\n`, { mode: 0o600 });
}

export async function endHalt(workspace: Workspace, session: SessionId): Promise<void> {
	await rm(haltFile(workspace, session), { force: true });
}

/** The halt that this tool call falls under, although its message goes to another call of the same batch. */
export async function currentHalt(workspace: Workspace, session: SessionId, mailbox: Mailbox): Promise<Effect> {
	// In this order: a message is claimed before the file is there, and filed after.
	const { messages } = await mailbox.list(['claimed']);
	const word = (await readTextIfExists(haltFile(workspace, session)))?.trim();
	const effects = new Set([word, ...messages.map(message => message.content.effect)]);
	return effects.has('pause') ? 'pause' : effects.has('halt') ? 'halt' : 'none';
}

export const HALTED_BESIDE =
	'[Nancy] Not run: a message that halts the tool calls of this step came with the call beside this one. Read it first.';

function haltFile(workspace: Workspace, session: SessionId): string {
	return join(workspace.paths.halts, session);
}
