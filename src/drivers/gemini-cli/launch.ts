import type { LaunchPlan, LaunchRequest } from '../../core/driver/driver.ts';
import { conversationIn, RESUME } from '../conversation.ts';
import { program } from './program.ts';
import { maySandbox } from './sandbox.ts';

/** Set for an agent that is resumed with a prompt. */
export const RESUMING = 'NANCY_GEMINI_RESUMING';

export function launchPlan({ prompt, resume, model, extra }: LaunchRequest): LaunchPlan {
	const hasPrompt = prompt !== undefined && prompt !== '';
	return {
		args: [
			...(resume === undefined ? [] : [`--resume=${resume}`]),
			...modelFlags(model),
			...extra,
			// In one word, so that a prompt that begins with a dash is no option.
			...(hasPrompt ? [`--prompt-interactive=${prompt}`] : []),
		],
		env: resume !== undefined && hasPrompt ? { [RESUMING]: '1' } : {},
		// Once the user has trusted the folder, the CLI restarts with the same arguments, and would refuse an id of ours as existing. So
		// the CLI picks its own id, and names it in its first event.
		sessionIsKnown: resume !== undefined,
	};
}

/**
 * Going on with a session is left to the CLI's own terminal: it finds none when it is talked with (0.61.0). So is a start with a sandbox, in which a
 * request does not say all that a Yes allows.
 */
export const ownTerminal = conversationIn(
	program.id,
	(words, place) => words.some(word => word.startsWith(RESUME)) || maySandbox(words, place),
);

export function modelFlags(model: string | undefined): string[] {
	return model === undefined ? [] : [`--model=${model}`];
}

/** Variables that the CLI sets for its own tools and hooks. */
export const foreignVariables = [
	'CLAUDE_PROJECT_DIR',
	'GEMINI_CLI',
	'GEMINI_CLI_NO_RELAUNCH',
	'GEMINI_CWD',
	'GEMINI_PLANS_DIR',
	'GEMINI_PROJECT_DIR',
	'GEMINI_SESSION_ID',
	RESUMING,
] as const;
