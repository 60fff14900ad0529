import { existsSync } from 'node:fs';
import type { AgentEvent } from '../../protocol/traffic.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { NotesToTell } from './telling.ts';
import { COMPILED, ToldMarks } from './toldMarks.ts';

/** After it, the agent may know nothing of what it was told. */
export function isForgetting({ kind, cause, forgets }: AgentEvent): boolean {
	const isAnew = kind === 'session-start' && (cause === 'clear' || cause === 'compact');
	return isAnew || kind === 'compact-end' || forgets === true;
}

/**
 * What the session has to be told at this event: at a prompt, and right after a compaction if its CLI takes words there. Marks every session,
 * so that the guard sees when there is something for it. Costs nothing more where no project is.
 * @param named the project that the session's environment names
 */
export async function dueNotes(
	workspace: Workspace,
	event: AgentEvent,
	named: string | undefined,
): Promise<NotesToTell | undefined> {
	const { kind, cause, session } = event;
	if (kind !== 'prompt' && kind !== 'session-start' && !isForgetting(event)) return undefined;
	const { own } = workspace;
	const marks = new ToldMarks(own.dataFolder);
	const notes = own.path(COMPILED);
	const isThere = existsSync(notes);
	if (!marks.has(session) || (isThere && isForgetting(event)))
		marks.write(session, { notes, head: '', told: '' }, undefined);
	const isNow = kind === 'prompt' || (kind === 'session-start' && cause === 'compact');
	if (!isThere || !isNow) return undefined;
	return (await import('./telling.ts')).notesToTell(workspace, session, named);
}
