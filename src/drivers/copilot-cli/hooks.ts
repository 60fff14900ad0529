import { quoted } from '../../base/shellWord.ts';
import { guardCall, SYNC_TIMEOUT, TIMEOUT_VARIABLE, type GuardedEvent } from '../guard.ts';
import { ID } from './events.ts';

/** The CLI waits for every hook, but not longer than its timeout. Then it goes on without the hook. */
const entries: readonly GuardedEvent[] = [
	{ event: 'sessionStart', slot: 'program' },
	{ event: 'userPromptSubmitted', slot: 'turn' },
	{ event: 'preToolUse', slot: 'boundary' },
	{ event: 'permissionRequest', slot: 'boundary' },
	{ event: 'postToolUse', slot: 'boundary' },
	{ event: 'postToolUseFailure', slot: 'boundary' },
	{ event: 'agentStop', slot: 'end' },
	{ event: 'notification', slot: 'report' },
	{ event: 'errorOccurred', slot: 'report' },
	{ event: 'subagentStart', slot: 'report' },
	{ event: 'subagentStop', slot: 'report' },
	{ event: 'preCompact', slot: 'program' },
	{ event: 'sessionEnd', slot: 'report' },
];

export const hookedEvents: readonly string[] = entries.map(entry => entry.event);

/**
 * A hook file of the CLI's.
 * @param place `launch`: the agent is one of Nancy's own. `workspace`: whoever starts the CLI in the folder.
 */
export function hooksFile(place: 'launch' | 'workspace', launcher: string, folder: string): string {
	const hooks = Object.fromEntries(
		entries.map(entry => [
			entry.event,
			[{ type: 'command', bash: commandLine(entry, place, launcher, folder), timeoutSec: SYNC_TIMEOUT }],
		]),
	);
	return `${JSON.stringify({ version: 1, hooks }, null, 2)}\n`;
}

/**
 * The line that the CLI hands to `bash -c`. It must always end with 0: if a hook before a tool fails or is missing, the CLI denies the
 * tool.
 */
function commandLine(guarded: GuardedEvent, place: 'launch' | 'workspace', launcher: string, folder: string): string {
	const conditions = [
		`[ -x ${quoted(launcher)} ]`,
		// Set by this CLI for its hooks alone: other programs run the hooks of `.github/hooks` too.
		'[ -n "$COPILOT_PROJECT_DIR" ]',
		// In Nancy's own launches the hooks of the launch run. An agent started by one of their tools has no worker.
		...(place === 'workspace' ? ['[ -z "$NANCY_TASK_DIR" ]'] : []),
	];
	const variables = [
		'NANCY_HOOK_SESSION=',
		'NANCY_HOOK_PROJECT=',
		'NANCY_HOOK_KEY=sessionId',
		'NANCY_HOOK_PID="$PPID"',
		'NANCY_HOOK_ATTENDED="${NANCY_ATTENDED:-1}"',
		TIMEOUT_VARIABLE,
	];
	const call = `${variables.join(' ')} ${guardCall(ID, guarded, launcher, folder)}`;
	// The CLI takes any other output for a denial when it checks a permission.
	const step = guarded.event === 'permissionRequest' ? `answer=$(${call}) && ${PRINT_ANSWER}` : call;
	return `${conditions.join(' && ')} && ${step}; exit 0`;
}

const PRINT_ANSWER = `case $answer in '{'*'}') printf '%s' "$answer" ;; esac`;
