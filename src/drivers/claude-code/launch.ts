import type { LaunchPlan, LaunchRequest } from '../../core/driver/driver.ts';
import { conversation } from '../conversation.ts';
import { program } from './program.ts';

export function launchPlan(request: LaunchRequest): LaunchPlan {
	const { prompt, session, resume, fork, model, title, extra } = request;
	return {
		args: [
			...(resume === undefined ? ['--session-id', session] : ['--resume', resume]),
			...(fork === undefined ? [] : ['--resume', fork, '--fork-session']),
			...(resume === undefined && title !== '' ? ['--name', title] : []),
			...(model === undefined ? [] : ['--model', model]),
			...extra,
			// After `--`, a prompt that begins with a dash is no option.
			...(prompt === undefined || prompt === '' ? [] : ['--', prompt]),
		],
		env: {},
		sessionIsKnown: true,
	};
}

/**
 * The control protocol of `-p --input-format stream-json`, which the CLI's own SDK speaks. Seen with 2.1.329: all hooks run but those that
 * want a person in a terminal (`CLAUDE_CODE_SESSION_ATTENDED` is 0), and a question comes as `can_use_tool`.
 */
const FLAGS: readonly string[] = [
	'-p',
	'--input-format=stream-json',
	'--output-format=stream-json',
	'--verbose',
	'--include-partial-messages',
	'--replay-user-messages',
	'--permission-prompt-tool=stdio',
];

export const ownTerminal = conversation(program.id, FLAGS);

/** Variables that the CLI sets for its own tools and hooks. A session that inherits them behaves as a child of that session. */
export const foreignVariables = [
	'AI_AGENT',
	'CLAUDECODE',
	'CLAUDE_PID',
	'CLAUDE_EFFORT',
	'CLAUDE_ENV_FILE',
	'CLAUDE_PROJECT_DIR',
	'CLAUDE_PLUGIN_ROOT',
	'CLAUDE_PLUGIN_DATA',
	'CLAUDE_CODE_CHILD_NOTES_DIR',
	'CLAUDE_CODE_CHILD_SESSION',
	'CLAUDE_CODE_ENTRYPOINT',
	'CLAUDE_CODE_MESSAGING_SOCKET',
	'CLAUDE_CODE_MESSAGING_TOKEN',
	'CLAUDE_CODE_SESSION_ATTENDED',
	'CLAUDE_CODE_SESSION_ID',
	'CLAUDE_CODE_SSE_PORT',
] as const;
