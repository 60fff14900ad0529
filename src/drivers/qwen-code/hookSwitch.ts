import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { HookSwitch } from '../../core/driver/deploymentPlan.ts';

/** By the CLI's code: it strips comments from its settings, and those of the folder count more than the user's. */
export const hookSwitch: HookSwitch = {
	takesComments: true,
	files: ({ workspaceFolder, env }) => [
		join(workspaceFolder, '.qwen', 'settings.json'),
		join(env['QWEN_HOME'] || join(env['HOME'] || homedir(), '.qwen'), 'settings.json'),
	],
	read(settings) {
		const { data } = z.object({ disableAllHooks: z.boolean() }).safeParse(settings);
		return data && { setting: 'disableAllHooks', isOff: data.disableAllHooks };
	},
};
