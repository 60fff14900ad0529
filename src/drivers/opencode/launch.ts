import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LaunchPlan, LaunchRequest } from '../../core/driver/driver.ts';
import type { LaunchPlace } from '../../core/driver/launchPlace.ts';
import type { SessionId } from '../../protocol/names.ts';
import { configurationEnvironment, type OwnConfiguration } from './configuration.ts';
import { LAUNCH_PLUGIN } from './deployment.ts';
import { RESUMED_PROMPT, RESUMED_SESSION } from './plugin.ts';

export function launchPlan({ prompt, resume, model, extra, ...place }: LaunchRequest): LaunchPlan {
	return {
		args: [
			...conversationFlags({ resume, model }),
			...extra,
			// In one word, so that a prompt that begins with a dash is no option.
			...(prompt === undefined || prompt === '' || resume !== undefined ? [] : [`--prompt=${prompt}`]),
		],
		env: {
			...settingsEnvironment(place, {}),
			...(resume !== undefined && { [RESUMED_SESSION]: resume }),
			...(resume !== undefined && prompt !== undefined && { [RESUMED_PROMPT]: prompt }),
		},
		// The CLI picks its own id when the first prompt comes.
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

/** The configuration of a launch: the plugin if there are hooks, and agents. */
export function settingsEnvironment(
	{ hooks, env }: Pick<LaunchPlace, 'hooks' | 'env'>,
	own: Omit<OwnConfiguration, 'plugin'>,
): Record<string, string> {
	const plugin = hooks && pathToFileURL(join(hooks.folder, LAUNCH_PLUGIN)).href;
	return configurationEnvironment(env, { plugin, ...own });
}

/** Variables that the CLI and Nancy's plugin set for their children. */
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
