import { join } from 'node:path';
import * as z from 'zod/mini';
import type { HookSwitch } from '../../core/driver/driver.ts';

/**
 * As 1.0.102 was seen to do: the settings of a repository switch all hooks off, those that a launch brings along too; the user's do not.
 * A file of them with a comment in it is passed over.
 */
export const hookSwitch: HookSwitch = {
	takesComments: false,
	files: ({ workspaceFolder }) =>
		['settings.local.json', 'settings.json'].map(name => join(workspaceFolder, '.github', 'copilot', name)),
	read(settings) {
		const value = z.object({ disableAllHooks: z.boolean() }).safeParse(settings).data?.disableAllHooks;
		return value === undefined ? undefined : { setting: 'disableAllHooks', isOff: value };
	},
};
