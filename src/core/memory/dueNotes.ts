import { existsSync } from 'node:fs';
import type { AgentEvent } from '../../protocol/traffic.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { NotesToTell } from './telling.ts';
import { COMPILED } from './toldMarks.ts';

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
