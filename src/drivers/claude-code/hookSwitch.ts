import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import * as z from 'zod/mini';
import type { HookSwitch } from '../../core/driver/deploymentPlan.ts';

const MANAGED = 'managed-settings.json';
const MANAGED_IN = process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';

/**
 * As measured with 2.1.329: of the files that name the switch, the one with the highest precedence decides. A file with a comment is
 * ignored whole. The administrator's settings are from the documentation.
 */
export const hookSwitch: HookSwitch = {
	takesComments: false,
	files({ workspaceFolder, env }) {
		const own = env['CLAUDE_CONFIG_DIR'] || join(env['HOME'] || homedir(), '.claude');
		return [
			join(MANAGED_IN, MANAGED),
			join(workspaceFolder, '.claude', 'settings.local.json'),
			join(workspaceFolder, '.claude', 'settings.json'),
			join(own, 'settings.json'),
		];
	},
	read(settings, file) {
		const { data } = z
			.object({ disableAllHooks: z.optional(z.unknown()), allowManagedHooksOnly: z.optional(z.unknown()) })
			.safeParse(settings);
		if (data?.allowManagedHooksOnly === true && basename(file) === MANAGED)
			return { setting: 'allowManagedHooksOnly', isOff: true };
		const value = data?.disableAllHooks;
		return typeof value === 'boolean' ? { setting: 'disableAllHooks', isOff: value } : undefined;
	},
};
