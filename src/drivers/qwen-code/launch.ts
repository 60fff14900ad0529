import { ACP } from '../../core/driver/acp.ts';
import type { LaunchPlan, LaunchRequest } from '../../core/driver/driver.ts';
import type { SessionId } from '../../protocol/names.ts';
import { conversationIn } from '../conversation.ts';
import { program } from './program.ts';

export function launchPlan({ prompt, extra, fork, ...conversation }: LaunchRequest): LaunchPlan {
	// A conversation picks its own id.
	const isTalk = extra.includes(ACP);
	return {
		args: [
			...conversationFlags({ ...conversation, resume: conversation.resume ?? fork }).filter(
				word => !isTalk || !word.startsWith(SESSION),
			),
			...(fork === undefined ? [] : [FORK]),
			...extra,
			// In one word, so that a prompt that begins with a dash is no option.
			...(prompt === undefined || prompt === '' ? [] : [`--prompt-interactive=${prompt}`]),
		],
		env: {},
		// The CLI refuses a session id beside a fork, and picks its own.
		sessionIsKnown: fork === undefined && (!isTalk || conversation.resume !== undefined),
	};
}

const FORK = '--fork-session';

/** Copying a session is left to the CLI's own terminal. */
export const ownTerminal = conversationIn(program.id, words => words.includes(FORK));

const SESSION = '--session-id=';

interface Conversation {
	session: SessionId;
	resume: SessionId | undefined;
	model: string | undefined;
}

export function conversationFlags({ session, resume, model }: Conversation): string[] {
	return [resume === undefined ? `${SESSION}${session}` : `--resume=${resume}`, ...modelFlags(model)];
}

export function modelFlags(model: string | undefined): string[] {
	return model === undefined ? [] : [`--model=${model}`];
}

/** Variables that the CLI sets for its own tools and hooks, and for the process that replaces it. */
export const foreignVariables = [
	...program.marks,
	'CLAUDE_PROJECT_DIR',
	'GEMINI_PROJECT_DIR',
	'QWEN_CODE_AGENT_ID',
	'QWEN_CODE_CLI',
	'QWEN_CODE_LAUNCHER_PID',
	'QWEN_CODE_MANAGED_NPM_PIN',
	'QWEN_CODE_MANAGED_NPM_ROOT',
	'QWEN_CODE_MODEL',
	'QWEN_CODE_MODEL_IDENTITY',
	'QWEN_CODE_NO_RELAUNCH',
	'QWEN_CODE_PRIVATE_RELAUNCH_ENV_PROVENANCE',
	'QWEN_CODE_PROJECT_DIR',
	'QWEN_CODE_PROMPT_ID',
	'QWEN_CODE_STARTUP_VERSION',
	'QWEN_PROJECT_DIR',
] as const;
