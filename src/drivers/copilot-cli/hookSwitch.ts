import { join } from 'node:path';
import * as z from 'zod/mini';
import type { HookSwitch } from '../../core/driver/deploymentPlan.ts';

/**
 * As measured with 1.0.102: the settings of a repository switch all hooks off, also those of a launch; the user's settings do not. A
 * settings file of a repository with a comment is ignored.
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
