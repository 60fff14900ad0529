import { join } from 'node:path';
import type { AnswersByChoice, LaunchPlan, LaunchRequest } from '../../core/driver/driver.ts';
import type { LaunchHooks } from '../../core/driver/launchPlace.ts';
import type { SessionId } from '../../protocol/names.ts';
import { QUESTIONS } from './questions.ts';

export function launchPlan(request: LaunchRequest): LaunchPlan {
	const { prompt, session, resume, model, title, extra, hooks } = request;
	return {
		args: [
			...conversationFlags({ session, resume, model }),
			...(resume === undefined && title !== '' ? [`--name=${title}`] : []),
			...hookFlags(hooks),
			...extra,
			// In one word, so that a prompt that begins with a dash is no option.
			...(prompt === undefined || prompt === '' ? [] : [`--interactive=${prompt}`]),
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

export function hookFlags(hooks: LaunchHooks | undefined): string[] {
	return hooks === undefined ? [] : ['--plugin-dir', hooks.folder];
}

/** The extension that carries answers. Without the flag the CLI does not see it, and asks nobody whether it may be loaded. */
export const answersByChoice: AnswersByChoice = {
	args: ({ folder }) => ['--plugin-dir', join(folder, QUESTIONS)],
	explanation:
		'An experiment: it works only where you have switched on Copilot CLI’s own experimental features (`/experimental on`), which also run the extensions that a repository brings. When Nancy starts Copilot CLI, it asks you to let `plugin:nancy-questions:questions` handle permission requests.',
};

/** Variables that the CLI sets for its own tools and hooks. */
export const foreignVariables = [
	'CLAUDE_PLUGIN_DATA',
	'CLAUDE_PLUGIN_ROOT',
	'CLAUDE_PROJECT_DIR',
	'COPILOT_AGENT_SESSION_ID',
	'COPILOT_CLI',
	'COPILOT_CLI_BINARY_VERSION',
	'COPILOT_CLI_RESOLVED_DIST_DIR',
	'COPILOT_HOOK_DIR',
	'COPILOT_LOADER_PID',
	'COPILOT_PLUGIN_DATA',
	'COPILOT_PLUGIN_ROOT',
	'COPILOT_PROJECT_DIR',
	'PLUGIN_ROOT',
] as const;
