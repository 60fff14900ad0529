import { quoted } from '../../base/shellWord.ts';
import type { DeploymentPlan, DeploymentRequest } from '../../core/driver/deploymentPlan.ts';
import { guardCall, type GuardedEvent } from '../guard.ts';
import { namedHooks } from '../namedHooks.ts';
import { ID } from './events.ts';

/** Read only in this folder. If the user has switched folder trust on, read once the folder is trusted. */
const SETTINGS = '.qwen/settings.json';

/** Its time limits are in seconds. */
const SECOND = 1;

/** The CLI waits for every hook. Async hooks may be skipped, and reports would overtake each other. */
const entries: readonly GuardedEvent[] = [
	{ event: 'SessionStart', slot: 'program' },
	{ event: 'UserPromptSubmit', slot: 'turn' },
	{ event: 'PreToolUse', slot: 'boundary' },
	{ event: 'PostToolBatch', slot: 'boundary' },
	{ event: 'Stop', slot: 'end' },
	{ event: 'PostCompact', slot: 'program' },
	...[
		'PostToolUse',
		'PostToolUseFailure',
		'PermissionRequest',
		'PermissionDenied',
		'Notification',
		'StopFailure',
		'SubagentStart',
		'SubagentStop',
		'PreCompact',
		'SessionEnd',
	].map(event => ({ event, slot: 'report' as const })),
];

export function deploymentPlan({ launcher, workspaceFolder }: DeploymentRequest): DeploymentPlan {
	return {
		edits: [namedHooks(SETTINGS, entries, SECOND, each => commandLine(each, launcher, workspaceFolder))],
		files: [],
		launchFiles: [],
		events: entries.map(({ event }) => event),
		warnings: [
			'Where you have switched folder trust on, Qwen Code runs hooks of a folder only once you have trusted it (/permissions). Until then it reports nothing.',
		],
	};
}

/**
 * The line that the CLI hands to `bash -c`. When the CLI reads its settings, it inserts the value of each `$NAME` and `${NAME}`, such as an
 * outer session's. It leaves `${NAME-}` alone.
 */
function commandLine(guarded: GuardedEvent, launcher: string, folder: string): string {
	const conditions = [
		`[ -x ${quoted(launcher)} ]`,
		// Set by this CLI for its hooks: other programs may read its settings.
		'[ -n "${QWEN_CODE_SESSION_ID-}" ]',
		// The CLI sets it only for its tools. An agent started by a tool has no worker.
		'[ -z "${QWEN_CODE-}" ]',
	];
	const variables = [
		'NANCY_HOOK_SESSION="${QWEN_CODE_SESSION_ID-}"',
		'NANCY_HOOK_PROJECT="${QWEN_PROJECT_DIR-}"',
		'NANCY_HOOK_PID="${PPID-}"',
		'NANCY_HOOK_ATTENDED="${NANCY_ATTENDED:-1}"',
	];
	const call = `${variables.join(' ')} ${guardCall(ID, guarded, launcher, folder)}`;
	// The CLI shows the model any output of a hook that is not JSON. So a failing guard's output is dropped.
	return `${conditions.join(' && ')} && words=$(${call} 2>/dev/null) && [ -n "$words" ] && printf '%s\\n' "$words"; exit 0`;
}
