import { quoted } from '../../base/shellWord.ts';
import { guardCall, SYNC_TIMEOUT, TIMEOUT_VARIABLE, type GuardedEvent } from '../guard.ts';
import type { EventName } from './payloads.ts';
import { program } from './program.ts';

/** The variable of a start by Nancy that names its session. The CLI tells its hooks none, and no hook reports without it. */
export const SESSION = 'NANCY_Q_SESSION';

const entries: readonly (GuardedEvent & { event: EventName })[] = [
	{ event: 'agentSpawn', slot: 'program' },
	{ event: 'userPromptSubmit', slot: 'turn' },
	{ event: 'preToolUse', slot: 'boundary' },
	{ event: 'postToolUse', slot: 'report' },
	{ event: 'stop', slot: 'end' },
];

export const hookedEvents: readonly string[] = entries.map(({ event }) => event);

/** In bytes of UTF-8. The CLI cuts what a hook prints after 10 KiB unless told otherwise. */
const LONGEST_OUTPUT = 64 * 1024;

/** The hooks of an agent file: docs/agent-format.md of the CLI's repository. The CLI waits for each, and runs it by `bash -c`. */
export function agentHooks(launcher: string, folder: string): object {
	return Object.fromEntries(
		entries.map(entry => [
			entry.event,
			[
				{
					command: commandLine(entry, launcher, folder),
					timeout_ms: SYNC_TIMEOUT * 1000,
					max_output_size: LONGEST_OUTPUT,
				},
			],
		]),
	);
}

/**
 * The line always ends with 0, but for a denial: the CLI shows any other end to the user, and 2 denies a tool call. A shell may end with 2 for a
 * reason of its own, so a denial is only what the guard has printed.
 */
function commandLine(guarded: GuardedEvent, launcher: string, folder: string): string {
	const conditions = [
		`[ -x ${quoted(launcher)} ]`,
		`[ -n "$${SESSION}" ]`,
		// The CLI adds this to the variable for its tools alone. An agent started by a tool has no worker.
		'{ case "$AWS_EXECUTION_ENV" in *AmazonQ-For-CLI*) false ;; esac; }',
	];
	const variables = [
		`NANCY_HOOK_SESSION="$${SESSION}"`,
		'NANCY_HOOK_PROJECT=',
		'NANCY_HOOK_PID="$PPID"',
		'NANCY_HOOK_ATTENDED="${NANCY_ATTENDED:-1}"',
		TIMEOUT_VARIABLE,
	];
	// Events are read later, from a file, and must name their session themselves. The payload is an object that is never empty.
	const payload = `{ printf '{"nancy_session":"%s",' "$${SESSION}"; tail -c +2; }`;
	const call = `${payload} | ${variables.join(' ')} ${guardCall(program.id, guarded, launcher, folder)} 2>/dev/null`;
	return `${conditions.join(' && ')} && ${stepOf(guarded, call)}; exit 0`;
}

function stepOf({ event }: GuardedEvent, call: string): string {
	if (event === 'userPromptSubmit') return call;
	if (event !== 'preToolUse') return `${call} >/dev/null`;
	return `words=$(${call}) && [ -n "$words" ] && { printf '%s\\n' "$words" >&2; exit 2; }`;
}
