import { configFolder, dataFolder } from '../../base/folders.ts';
import type { Workspace } from '../../core/workspace/workspace.ts';
import type { Program } from './caller.ts';
import { currentOverview, watchWorkspace } from './currentOverview.ts';
import type { OperationContext } from '../operation.ts';

/** Where a program without a window works: it has no Restricted Mode, and no settings but those in files. */
export function programContext(workspace: Workspace, program: Program): OperationContext {
	const { env } = program;
	return {
		workspace,
		dataFolder: dataFolder(env),
		env,
		isTrusted: true,
		settings: { hooks: undefined, tokenThreshold: undefined },
		readSettings: async folder => {
			const { UserSettingsFile } = await import('../../core/files/userSettings.ts');
			return new UserSettingsFile(configFolder(env), env['HOME']).forFolder(folder);
		},
		installRuntime: async () => (await import('./ownRuntime.ts')).ownRuntime(program),
		look: () => currentOverview(workspace, env),
		watch: work => watchWorkspace(workspace, env, work),
		note: text => program.note(text),
	};
}
