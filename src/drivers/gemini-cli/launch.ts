import type { LaunchPlan, LaunchRequest } from '../../core/driver.ts';
import type { SessionId } from '../../protocol/names.ts';

export function launchPlan({ prompt, session, resume, model, extra }: LaunchRequest): LaunchPlan {
	return {
		args: [
			...conversationFlags({ session, resume, model }),
			...extra,
			// In one word, so that a prompt that begins with a dash is no option.
			...(prompt === undefined || prompt === '' ? [] : [`--prompt-interactive=${prompt}`]),
		],
		env: {},
		sessionIsKnown: true,
	};
}

export function conversationFlags({
	session,
	resume,
	model,
}: {
	session: SessionId;
	resume: SessionId | undefined;
	model: string | undefined;
}): string[] {
	return [
		resume === undefined ? `--session-id=${session}` : `--resume=${resume}`,
		...(model === undefined ? [] : [`--model=${model}`]),
	];
}

/** What the CLI sets for its own tools and hooks. */
export const foreignVariables = [
	'CLAUDE_PROJECT_DIR',
	'GEMINI_CLI',
	'GEMINI_CLI_NO_RELAUNCH',
	'GEMINI_CWD',
	'GEMINI_PLANS_DIR',
	'GEMINI_PROJECT_DIR',
	'GEMINI_SESSION_ID',
] as const;
