import * as vscode from 'vscode';
import { configFolder, dataFolder } from '../base/folders.ts';
import { Pause } from '../base/pause.ts';
import type { InstalledRuntime } from '../core/deployment/runtime.ts';
import { UserSettingsFile } from '../core/files/userSettings.ts';
import { drivers } from '../drivers/index.ts';
import type { OperationContext } from '../operations/operation.ts';
import { programVariable } from '../process/detect.ts';
import type { CommonSettings } from '../protocol/settings.ts';
import type { Folder } from '../ui/ports.ts';
import {
	agentPath,
	chosenIsolation,
	delegateHost,
	hooksChoice,
	maximumDelegates,
	swarmWorker,
	tokenThreshold,
} from '../ui/settings.ts';

/** The facts that all folders of a window share. */
export interface WindowTools {
	installRuntime: () => Promise<InstalledRuntime>;
	/** Reports a failure to the log that does not stop the work. */
	tell: (error: unknown) => void;
}

/** The window's place: the user's settings in VS Code, and the overview that the views show. */
export function operationContext(folder: Folder, { installRuntime, tell }: WindowTools): OperationContext {
	return {
		workspace: folder.workspace,
		dataFolder: dataFolder(),
		env: windowEnvironment(),
		isTrusted: vscode.workspace.isTrusted,
		settings: { hooks: hooksChoice(folder.path), tokenThreshold: tokenThreshold(folder.path) },
		readSettings: windowSettings,
		installRuntime,
		look: async () => {
			await folder.refresh();
			return folder.overview();
		},
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

/** VS Code's values. Commands for worktrees are only in the file that the user writes by hand. */
export async function windowSettings(folder: string): Promise<CommonSettings> {
	const { max: _, ...written } = await new UserSettingsFile(configFolder()).forFolder(folder);
	const max = maximumDelegates();
	const live = { host: delegateHost(), swarmWorker: swarmWorker(folder), ...chosenIsolation() };
	return { ...written, ...live, ...(max !== undefined && { max }) };
}

/** The window's own, with VS Code's settings of agents' programs and of the delegates' host, and of nothing else. */
export function windowEnvironment(): Readonly<Record<string, string | undefined>> {
	const unset = Object.fromEntries(drivers.map(({ id }) => [programVariable(id), undefined]));
	return { ...process.env, ...unset, ...delegateVariables() };
}

/**
 * The `nancy` command's view of the window's settings, inherited by runners and agents' terminals. Settings that can change while they run,
 * such as the limit of delegates, are only in the settings file.
 */
export function delegateVariables(): Readonly<Record<string, string>> {
	const programs = drivers.flatMap(({ id }) => {
		const path = agentPath(id);
		return path === undefined ? [] : [[programVariable(id), path] as const];
	});
	return { ...Object.fromEntries(programs), NANCY_DELEGATES_HOST: delegateHost() };
}
