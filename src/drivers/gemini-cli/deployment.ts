import { quoted } from '../../base/shellWord.ts';
import type { DeploymentPlan, DeploymentRequest } from '../../core/driver/deploymentPlan.ts';
import { guardCall, TIMEOUT_VARIABLE, type GuardedEvent } from '../guard.ts';
import { namedHooks } from '../namedHooks.ts';
import { ID } from './events.ts';
import { RESUMING } from './launch.ts';

/** Read only in this folder, once the user has trusted it. The CLI takes no hooks per launch. */
const SETTINGS = '.gemini/settings.json';

/** Its time limits are in milliseconds. */
const SECOND = 1_000;

/** Every hook is waited for. */
const entries: readonly GuardedEvent[] = [
	{ event: 'SessionStart', slot: 'program' },
	{ event: 'BeforeAgent', slot: 'turn' },
	{ event: 'BeforeTool', slot: 'boundary' },
	{ event: 'AfterTool', slot: 'boundary' },
	{ event: 'AfterAgent', slot: 'end' },
	// Before each request too, in case it compacts on its own: nobody is told whether it does.
	{ event: 'PreCompress', slot: 'program', matcher: 'manual' },
	{ event: 'Notification', slot: 'report' },
	{ event: 'SessionEnd', slot: 'report' },
];

const TRUST = [
	'Gemini CLI runs hooks of a folder only once you have trusted it: when it is started here the next time, it asks “Do you trust the files in this folder?” (later: /permissions). It begins before you answer, and begins anew once you have. Until then it reports nothing, and it runs nothing without a terminal.',
];

export function deploymentPlan({ launcher, workspaceFolder }: DeploymentRequest): DeploymentPlan {
	return {
		edits: [namedHooks(SETTINGS, entries, SECOND, each => commandLine(each, launcher, workspaceFolder))],
		files: [],
		launchFiles: [],
		events: entries.map(({ event }) => event),
		warnings: TRUST,
	};
}

/**
 * The CLI sends the prompt of a resumed session while it still reads the earlier conversation, and so without that conversation. This
 * always happens in a folder with a few dozen sessions, unless a hook takes longer. Half a minute after its start, the CLI has read the
 * conversation.
 */
const WAIT_FOR_RESUME = `[ -z "$${RESUMING}" ] || case $(ps -o etime= -p "$PPID") in 00:[012]?|*' '00:[012]?) sleep 2 ;; esac`;

/**
 * The line that the CLI hands to `bash -c`. It must always end with 0: if a hook is missing or fails, the CLI denies the tool, with the
 * hook's output as the reason. At a timeout the CLI ends only this shell, and waits for every process that holds its pipes. The guard holds
 * none.
 */
function commandLine(guarded: GuardedEvent, launcher: string, folder: string): string {
	const variables = [
		// In braces. Without braces the CLI inserts the value itself, in quotes of its own.
		'NANCY_HOOK_SESSION="${GEMINI_SESSION_ID}"',
		'NANCY_HOOK_PROJECT="${GEMINI_PROJECT_DIR}"',
		'NANCY_HOOK_PID="$PPID"',
		'NANCY_HOOK_ATTENDED="${NANCY_ATTENDED:-1}"',
		TIMEOUT_VARIABLE,
	];
	const call = `${variables.join(' ')} ${guardCall(ID, guarded, launcher, folder)}`;
	const conditions = [
		`[ -x ${quoted(launcher)} ]`,
		// Set by this CLI for its hooks alone: other programs may read its settings.
		'[ -n "${GEMINI_SESSION_ID}" ]',
		// The CLI sets it only for its tools. An agent started by a tool has no worker.
		'[ -z "${GEMINI_CLI}" ]',
	].join(' && ');
	const patience = guarded.event === 'BeforeAgent' ? `{ ${WAIT_FOR_RESUME}; } && ` : '';
	return `${conditions} && exec 2>/dev/null && ${patience}words=$(${call}) && printf '%s\\n' "$words"; exit 0`;
}
