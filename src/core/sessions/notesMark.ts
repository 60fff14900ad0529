import { existsSync } from 'node:fs';
import type { AgentEvent } from '../../protocol/traffic.ts';
import type { HookMapping } from '../driver/hooks.ts';
import { importedFile } from '../memory/imported.ts';
import { COMPILED, ToldMarks } from '../memory/toldMarks.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readPhase } from './phase.ts';

/** After it, the agent may know nothing of what it was told. */
function isForgetting({ kind, cause, forgets }: AgentEvent): boolean {
	const isAnew = kind === 'session-start' && (cause === 'clear' || cause === 'compact');
	return isAnew || kind === 'compact-end' || forgets === true;
}

/**
 * Marks what the session knows of its project's notes. A session that began with an earlier version has no mark yet. Where a CLI reports
 * the start at the first prompt, the hooks of both run at once: whichever comes first marks the session.
 * @param named the project that the session's environment names
 */
export async function markSession(
	workspace: Workspace,
	event: AgentEvent,
	{ manual, reportsStart }: HookMapping,
	named: string | undefined,
): Promise<void> {
	const { own } = workspace;
	const { kind, session } = event;
	const marks = new ToldMarks(own.dataFolder);
	const begins =
		kind === 'session-start' ||
		(kind === 'prompt' &&
			reportsStart === 'at-first-prompt' &&
			(await readPhase(workspace.paths, session)).phase === 'unknown');
	if (isForgetting(event)) marks.forgetTold(session, own.path(COMPILED));
	if (begins && manual !== 'none' && existsSync(importedFile(workspace)))
		(await import('../memory/telling.ts')).markImported(workspace, manual, session, named);
	// Last: the hook of a prompt that runs beside this one tells what a mark of nothing lacks.
	if (begins) marks.begin(session, own.path(COMPILED));
}
