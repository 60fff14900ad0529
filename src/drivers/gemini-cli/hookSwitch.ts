import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { HookSwitch } from '../../core/driver/deploymentPlan.ts';
import { HOOK_NAME } from '../namedHooks.ts';

/** By the CLI's code: it strips comments from its settings, and those of the folder count more than the user's. */
export const hookSwitch: HookSwitch = {
	takesComments: true,
	files: ({ workspaceFolder, env }) =>
		[workspaceFolder, env['GEMINI_CLI_HOME'] || env['HOME'] || homedir()].map(folder =>
			join(folder, '.gemini', 'settings.json'),
		),
	read(settings) {
		const { data } = z
			.object({
				hooksConfig: z.object({ enabled: z.optional(z.boolean()), disabled: z.optional(z.array(z.string())) }),
			})
			.safeParse(settings);
		if (!data) return undefined;
		const { enabled, disabled = [] } = data.hooksConfig;
		if (disabled.includes(HOOK_NAME)) return { setting: 'hooksConfig.disabled', isOff: true };
		return enabled === undefined ? undefined : { setting: 'hooksConfig.enabled', isOff: !enabled };
	},
};
