import { quoted } from '../../base/shellWord.ts';
import type { DeploymentPlan, DeploymentRequest } from '../../core/driver/deploymentPlan.ts';
import { formatVersion } from '../../base/version.ts';
import { ASYNC_TIMEOUT, guardCall, SYNC_TIMEOUT, WAIT_TIMEOUT, TIMEOUT_VARIABLE, type GuardedEvent } from '../guard.ts';
import { ID } from './events.ts';
import { hasQuietStop, knowsEvent } from './versions.ts';
import { WAKE_MESSAGE, WAKE_SUMMARY } from './wake.ts';

/** The CLI itself writes this file too ("always allow"), and makes git ignore it. */
const SETTINGS = '.claude/settings.local.json';

export interface Entry extends GuardedEvent {
	/** Seconds until the CLI ends the hook. */
	timeout: number;
	/** Runs beside the agent, which takes no answer from it. */
	async?: true;
	/** Only in a terminal with a person. In a one-shot run the CLI waits for it. */
	attended?: true;
}

const report = (event: string): Entry => ({ event, slot: 'report', timeout: ASYNC_TIMEOUT, async: true });

const entries: readonly Entry[] = [
	{ event: 'SessionStart', slot: 'program', timeout: SYNC_TIMEOUT },
	{ event: 'CwdChanged', slot: 'program', timeout: SYNC_TIMEOUT },
	{ event: 'UserPromptSubmit', slot: 'turn', timeout: SYNC_TIMEOUT },
	{ event: 'PreToolUse', slot: 'boundary', timeout: SYNC_TIMEOUT },
	{ event: 'PostToolBatch', slot: 'boundary', timeout: SYNC_TIMEOUT },
	{ event: 'Stop', slot: 'end', timeout: SYNC_TIMEOUT },
	{ event: 'Stop', slot: 'wait', timeout: WAIT_TIMEOUT, attended: true },
	{ event: 'FileChanged', slot: 'wake', timeout: WAIT_TIMEOUT },
	report('PostToolUse'),
	report('PostToolUseFailure'),
	// The CLI shows its own dialog meanwhile.
	{ event: 'PermissionRequest', slot: 'ask', timeout: WAIT_TIMEOUT },
	report('PermissionDenied'),
	report('Notification'),
	report('StopFailure'),
	report('SubagentStart'),
	report('SubagentStop'),
	report('PreCompact'),
	// Not PostCompact: the CLI shows its user the whole line of such a hook. The SessionStart that follows reports the same.
	report('PostModelSwitch'),
	// Not async: the CLI ends before it would start an async hook.
	{ event: 'SessionEnd', slot: 'report', timeout: 1 },
];

export function deploymentPlan({ version, launcher, workspaceFolder }: DeploymentRequest): DeploymentPlan {
	const known = entriesFor(version);
	return {
		edits: [
			{
				file: SETTINGS,
				entries: known.map(entry => ({
					path: ['hooks', entry.event],
					value: group(entry, commandLine(entry, launcher, workspaceFolder)),
				})),
			},
		],
		files: [],
		launchFiles: [],
		events: [...new Set(known.map(entry => entry.event))],
		warnings: warningsFor(version),
	};
}

export function entriesFor(version: DeploymentRequest['version']): Entry[] {
	return entries.filter(entry => knowsEvent(version, entry.event));
}

/** An entry as the CLI reads it, in a settings file or in a plugin. */
export function group(entry: Entry, command: string): object {
	return {
		hooks: [
			{
				type: 'command',
				command,
				timeout: entry.timeout,
				...(entry.async && { async: true }),
				...(isWaiting(entry) && {
					asyncRewake: true,
					rewakeSummary: WAKE_SUMMARY,
					rewakeMessage: WAKE_MESSAGE,
				}),
			},
		],
	};
}

function isWaiting({ slot }: GuardedEvent): boolean {
	return slot === 'wake' || slot === 'wait';
}

/**
 * The line that the CLI hands to `sh -c`. That shell becomes the guard, and for a delivery the guard's program. It stays one process: none
 * is left when the CLI ends it, and none has to be started first. A missing or unreadable guard does nothing (`command` keeps the shell
 * from ending with 2, which would be a denial). Only a wake may end with another code than 0. Other CLIs that run this file set a variable
 * of their own.
 */
export function commandLine(entry: LineEntry, launcher: string, folder: string): string {
	return lineOf(entry, `[ -x ${quoted(launcher)} ]`, guardCall(ID, entry, launcher, folder));
}

type LineEntry = Pick<Entry, 'event' | 'slot' | 'attended'>;

/**
 * @param isThere the first condition
 * @param call what is read into the shell, with its arguments
 */
export function lineOf({ attended, ...guarded }: LineEntry, isThere: string, call: string): string {
	const conditions = [
		isThere,
		'[ -z "$COPILOT_PROJECT_DIR" ]',
		...(attended ? ['[ "$CLAUDE_CODE_SESSION_ATTENDED" = 1 ]'] : []),
	];
	const variables = [
		'NANCY_HOOK_SESSION="$CLAUDE_CODE_SESSION_ID"',
		'NANCY_HOOK_PID="$CLAUDE_PID"',
		'NANCY_HOOK_PROJECT="$CLAUDE_PROJECT_DIR"',
		// Older versions do not set this variable. Then nothing waits in the background, which would delay a one-shot run.
		'NANCY_HOOK_ATTENDED="${CLAUDE_CODE_SESSION_ATTENDED:-0}"',
		guarded.slot === 'ask' ? `NANCY_HOOK_TIMEOUT=${WAIT_TIMEOUT}` : TIMEOUT_VARIABLE,
	];
	const steps = [
		...conditions,
		`export ${variables.join(' ')}`,
		`set -- ${call}`,
		`trap '${isWaiting(guarded) ? '[ $? -eq 2 ] && exit 2; exit 0' : 'exit 0'}' EXIT`,
		'command . "$1"',
	];
	return `${steps.join(' && ')}; exit 0`;
}

function warningsFor(version: DeploymentRequest['version']): string[] {
	const name = `Claude Code ${formatVersion(version)}`;
	return [
		...(hasQuietStop(version) ? [] : [`${name} shows an error badge when feedback keeps it going.`]),
		...(knowsEvent(version, 'FileChanged')
			? []
			: [
					`${name} cannot be woken when idle; messages wait for the next prompt, or for “Nancy: Wake by Typing”.`,
				]),
	];
}
