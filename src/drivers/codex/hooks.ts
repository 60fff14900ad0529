import { quoted } from '../../base/shellWord.ts';
import { ASYNC_TIMEOUT, guardCall, SYNC_TIMEOUT, WAIT_TIMEOUT, TIMEOUT_VARIABLE, type GuardedEvent } from '../guard.ts';
import { ID } from './events.ts';

/** One hook, as `hooks.json` and `-c hooks.…` take it. The CLI's trust covers these fields. */
export interface HookEntry {
	event: string;
	command: string;
	/** Seconds. */
	timeout: number;
	/** Never waited for; ended with its session. */
	isAsync: boolean;
}

interface Slotted extends GuardedEvent {
	timeout: number;
	isAsync?: true;
	/** Only if a person sits at the terminal. Beside a run that ends with its turn, nobody needs a waiter. */
	isAttended?: true;
}

/** The CLI gives these no more than 3 s, and computes another hash for a hook that asks for more. */
const LAST_TIMEOUT = 2;

const report = (event: string): Slotted => ({ event, slot: 'report', timeout: ASYNC_TIMEOUT, isAsync: true });

/** An entry's position in its event is part of its trust. So new entries go to the end. */
const slotted: readonly Slotted[] = [
	{ event: 'SessionStart', slot: 'program', timeout: SYNC_TIMEOUT },
	{ event: 'UserPromptSubmit', slot: 'turn', timeout: SYNC_TIMEOUT },
	{ event: 'PreToolUse', slot: 'boundary', timeout: SYNC_TIMEOUT },
	{ event: 'PostToolUse', slot: 'boundary', timeout: SYNC_TIMEOUT },
	{ event: 'Stop', slot: 'end', timeout: SYNC_TIMEOUT },
	{ event: 'Stop', slot: 'wait', timeout: WAIT_TIMEOUT, isAsync: true, isAttended: true },
	// A report, but not async: later events must not overtake it.
	{ event: 'PreModelRequest', slot: 'report', timeout: SYNC_TIMEOUT },
	{ event: 'Interrupt', slot: 'report', timeout: LAST_TIMEOUT },
	{ event: 'SessionEnd', slot: 'report', timeout: LAST_TIMEOUT },
	// The CLI shows its question only after this hook.
	report('PermissionRequest'),
	report('SubagentStart'),
	report('SubagentStop'),
	report('PreCompact'),
	report('PostCompact'),
];

/**
 * Every hook, as this place needs it.
 * @param place `launch`: the agent is one of Nancy's own. `workspace`: whoever starts the CLI in the folder.
 */
export function hookEntries(place: 'launch' | 'workspace', launcher: string, folder: string): HookEntry[] {
	return slotted.map(each => ({
		event: each.event,
		command: commandLine(each, place, launcher, folder),
		timeout: each.timeout,
		isAsync: each.isAsync ?? false,
	}));
}

/**
 * The CLI hands the line to a login shell of the user's, which may not be a POSIX shell. So the line runs `sh` with the paths as arguments,
 * in place of that shell, and its parent is the CLI. A waiting guard replaces both: the CLI ends its own child, and nothing below.
 */
function commandLine(
	{ isAttended, ...guarded }: Slotted,
	place: 'launch' | 'workspace',
	launcher: string,
	folder: string,
): string {
	const steps = [
		// In Nancy's own launches the hooks of the launch run. An agent started by one of their tools has no worker.
		...(place === 'workspace' ? ['[ -z "$NANCY_TASK_DIR" ] || exit 0'] : []),
		...(isAttended ? ['[ "$NANCY_ATTENDED" != 0 ] || exit 0'] : []),
		`export ${[
			'NANCY_HOOK_SESSION=',
			'NANCY_HOOK_PROJECT=',
			'NANCY_HOOK_KEY=session_id',
			'NANCY_HOOK_ATTENDED="${NANCY_ATTENDED:-1}"',
			// Sessions that a user starts may share one process, so its pid does not identify one of them.
			`NANCY_HOOK_PID=${place === 'launch' ? '"$PPID"' : ''}`,
			TIMEOUT_VARIABLE,
		].join(' ')}`,
		// The CLI would show a person a failure of the hook, although nothing failed. The waiter ends with its session.
		guarded.slot === 'wait'
			? 'exec "$@"'
			: 'words=$("$@" 2>/dev/null) && [ -n "$words" ] && printf "%s\\n" "$words"; exit 0',
	];
	const call = guardCall(ID, guarded, launcher, folder);
	return `[ -x ${quoted(launcher)} ] && exec /bin/sh -c ${quoted(steps.join('; '))} nancy ${call}; exit 0`;
}
