import { configFolder, dataFolder } from '../base/folders.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import type { OperationContext } from '../operations/operation.ts';
import type { Context } from './command.ts';
import { watchWorkspace } from './currentOverview.ts';

/** Where a command works: a terminal has no Restricted Mode, and no settings but those in files. */
export function operationContext(workspace: Workspace, context: Context): OperationContext {
	const { env } = context;
	return {
		workspace,
		dataFolder: dataFolder(env),
		env,
		isTrusted: true,
		settings: { hooks: undefined, tokenThreshold: undefined },
		readSettings: async folder => {
			const { UserSettingsFile } = await import('../core/files/userSettings.ts');
			return new UserSettingsFile(configFolder(env), env['HOME']).forFolder(folder);
		},
		installRuntime: async () => (await import('./ownRuntime.ts')).ownRuntime(context),
		watch: work => watchWorkspace(workspace, env, work),
		note: text => context.note(text),
	};
}
