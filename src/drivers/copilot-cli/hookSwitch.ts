import { join } from 'node:path';
import * as z from 'zod/mini';
import type { HookSwitch } from '../../core/driver.ts';

/** By the CLI's documentation, the settings of a repository switch all hooks off, from wherever they come. */
export const hookSwitch: HookSwitch = {
	takesComments: true,
	files: ({ workspaceFolder }) =>
		['settings.local.json', 'settings.json'].map(name => join(workspaceFolder, '.github', 'copilot', name)),
	read(settings) {
		const value = z.object({ disableAllHooks: z.boolean() }).safeParse(settings).data?.disableAllHooks;
		return value === undefined ? undefined : { setting: 'disableAllHooks', isOff: value };
	},
};
