import { existsSync } from 'node:fs';
import type { AgentEvent } from '../../protocol/traffic.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { importedFile } from './imported.ts';
import type { NotesToTell } from './telling.ts';
import { COMPILED, ToldMarks } from './toldMarks.ts';

/** After it, the agent may know nothing of what it was told. */
function isForgetting({ kind, cause, forgets }: AgentEvent): boolean {
	const isAnew = kind === 'session-start' && (cause === 'clear' || cause === 'compact');
	return isAnew || kind === 'compact-end' || forgets === true;
}

/**
 * Marks what the session knows. A session that began with an earlier version has no mark yet.
 * @param manual see HookMapping
 * @param named the project that the session's environment names
 */
export async function markSession(
	workspace: Workspace,
	event: AgentEvent,
	manual: string,
	named: string | undefined,
): Promise<void> {
	const { own } = workspace;
	const { kind, session } = event;
	const marks = new ToldMarks(own.dataFolder);
	if (isForgetting(event)) marks.forgetTold(session, own.path(COMPILED));
	else if (kind === 'session-start') marks.begin(session, own.path(COMPILED));
	if (kind === 'session-start' && manual !== 'none' && existsSync(importedFile(workspace)))
		(await import('./telling.ts')).markImported(workspace, manual, session, named);
}

/**
 * What the session has to be told at this event: at a prompt, and right after a compaction if its CLI takes words there. Costs a look at a folder
 * where no project is.
 * @param named the project that the session's environment names
 */
export async function dueNotes(
	workspace: Workspace,
	{ kind, cause, session }: AgentEvent,
	named: string | undefined,
): Promise<NotesToTell | undefined> {
	const isNow = kind === 'prompt' || (kind === 'session-start' && cause === 'compact');
	if (!isNow || !existsSync(workspace.own.path(COMPILED))) return undefined;
	return (await import('./telling.ts')).notesToTell(workspace, session, named);
}
