import { homedir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { HookSwitch } from '../../core/driver.ts';

/** By the CLI's code: it strips comments from its settings, and those of the folder count more than the user's. */
export const hookSwitch: HookSwitch = {
	takesComments: true,
	files: ({ workspaceFolder, env }) =>
		[workspaceFolder, env['GEMINI_CLI_HOME'] || env['HOME'] || homedir()].map(folder =>
			join(folder, '.gemini', 'settings.json'),
		),
	read(settings) {
		const value = z.object({ hooksConfig: z.object({ enabled: z.boolean() }) }).safeParse(settings).data;
		return value && { setting: 'hooksConfig.enabled', isOff: !value.hooksConfig.enabled };
	},
};
