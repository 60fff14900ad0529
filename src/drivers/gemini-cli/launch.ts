import type { LaunchPlan, LaunchRequest } from '../../core/driver.ts';

export function launchPlan({ prompt, resume, model, extra }: LaunchRequest): LaunchPlan {
	return {
		args: [
			...(resume === undefined ? [] : [`--resume=${resume}`]),
			...modelFlags(model),
			...extra,
			// In one word, so that a prompt that begins with a dash is no option.
			...(prompt === undefined || prompt === '' ? [] : [`--prompt-interactive=${prompt}`]),
		],
		env: {},
		// Once the user has trusted the folder, the CLI starts itself again with the same arguments, and would refuse an id of ours as
		// one that exists. So it picks its own, and names it in its first event.
		sessionIsKnown: resume !== undefined,
	};
}

export function modelFlags(model: string | undefined): string[] {
	return model === undefined ? [] : [`--model=${model}`];
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
