import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LaunchHooks, LaunchPlan, LaunchRequest } from '../../core/driver.ts';
import type { SessionId } from '../../protocol/names.ts';
import { LAUNCH_PLUGIN } from './deployment.ts';
import { RESUMED_PROMPT, RESUMED_SESSION } from './plugin.ts';

export function launchPlan({ prompt, resume, model, extra, hooks }: LaunchRequest): LaunchPlan {
	return {
		args: [
			...conversationFlags({ resume, model }),
			...extra,
			// In one word, so that a prompt that begins with a dash is no option.
			...(prompt === undefined || prompt === '' || resume !== undefined ? [] : [`--prompt=${prompt}`]),
		],
		env: {
			...hookEnvironment(hooks),
			...(resume !== undefined && { [RESUMED_SESSION]: resume }),
			...(resume !== undefined && prompt !== undefined && { [RESUMED_PROMPT]: prompt }),
		},
		// The CLI picks its own when the first prompt comes.
		sessionIsKnown: resume !== undefined,
	};
}

/** @param model as the CLI writes it: `provider/model` */
export function conversationFlags({
	resume,
	model,
}: {
	resume: SessionId | undefined;
	model: string | undefined;
}): string[] {
	return [
		...(resume === undefined ? [] : [`--session=${resume}`]),
		...(model === undefined ? [] : [`--model=${model}`]),
	];
}

/** Settings that the CLI takes on top of all others; lists of plugins are joined. */
export function hookEnvironment(hooks: LaunchHooks | undefined): Record<string, string> {
	if (hooks === undefined) return {};
	const plugin = pathToFileURL(join(hooks.folder, LAUNCH_PLUGIN)).href;
	return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ plugin: [plugin] }) };
}

/** What the CLI and Nancy's plugin set for what they start. */
export const foreignVariables = [
	'AGENT',
	'NANCY_OPENCODE_PID',
	RESUMED_PROMPT,
	RESUMED_SESSION,
	'OPENCODE',
	'OPENCODE_PID',
	'OPENCODE_PROCESS_ROLE',
	'OPENCODE_RUN_ID',
] as const;
