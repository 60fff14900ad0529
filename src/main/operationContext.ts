import * as vscode from 'vscode';
import { dataFolder } from '../base/folders.ts';
import { Pause } from '../base/pause.ts';
import type { InstalledRuntime } from '../core/deployment/runtime.ts';
import { drivers } from '../drivers/index.ts';
import type { OperationContext } from '../operations/operation.ts';
import { programVariable } from '../process/detect.ts';
import type { Folder } from '../ui/ports.ts';
import { agentPath, hooksChoice, tokenThreshold } from '../ui/settings.ts';

/** What all folders of a window have in common. */
export interface WindowTools {
	installRuntime: () => Promise<InstalledRuntime>;
	/** Tells the log of a failure that does not stop the work. */
	tell: (error: unknown) => void;
}

/** Where the window works: the user's settings in VS Code, and the overview that the views show. */
export function operationContext(folder: Folder, { installRuntime, tell }: WindowTools): OperationContext {
	return {
		workspace: folder.workspace,
		dataFolder: dataFolder(),
		env: windowEnvironment(),
		isTrusted: vscode.workspace.isTrusted,
		settings: { hooks: hooksChoice(folder.path), tokenThreshold: tokenThreshold(folder.path) },
		installRuntime,
		watch: async work => {
			const pause = new Pause();
			const listener = folder.onDidChange(() => pause.end());
			try {
				return await work({
					overview: () => folder.overview(),
					changed: deadlineMs => pause.take(deadlineMs),
				});
			} finally {
				listener.dispose();
			}
		},
		note: tell,
	};
}

/** The window's own, with the paths of agents' programs from VS Code's settings alone. */
export function windowEnvironment(): Readonly<Record<string, string | undefined>> {
	return { ...process.env, ...Object.fromEntries(drivers.map(({ id }) => [programVariable(id), agentPath(id)])) };
}
