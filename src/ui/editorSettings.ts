import * as vscode from 'vscode';
import type { Driver } from '../core/driver/driver.ts';
import { CommonSettings, DelegateSettings, FolderSettings, type SettingsLayer } from '../protocol/settings.ts';
import { agentSettings, answersSetting, SETTINGS } from './contributions.ts';
import { chosenIsolation } from './settings.ts';

/** The place of a setting in the file that the `nancy` command reads. */
const KEYS: Readonly<Record<keyof DelegateSettings, string>> = {
	max: SETTINGS.delegatesMax,
	timeoutMinutes: SETTINGS.delegatesTimeout,
	idleMinutes: SETTINGS.delegatesIdle,
	worktreeSetUp: SETTINGS.delegatesSetUp,
	worktreeTearDown: SETTINGS.delegatesTearDown,
	host: SETTINGS.delegatesHost,
	swarmWorker: SETTINGS.delegatesSwarm,
};

/**
 * What the user has set in VS Code of what the `nancy` command must know. A workspace's own settings count only once it is trusted. They
 * never count for what is the machine's or names commands: who trusts a folder has not asked for what its files say to run.
 */
export function editorSettings(folders: readonly string[], drivers: readonly Driver[]): SettingsLayer {
	const common = vscode.workspace.getConfiguration();
	const permissions = drivers.flatMap(({ id }) => {
		const mode = common.inspect<unknown>(agentSettings(id).permissionsFromAgents)?.globalValue;
		return typeof mode === 'string' ? [[id, mode] as const] : [];
	});
	const answers = drivers.flatMap(({ id, answersByChoice }) => {
		if (answersByChoice === 'none' || answersByChoice.isAlways) return [];
		const isOn = common.inspect<unknown>(answersSetting(id))?.globalValue;
		return typeof isOn === 'boolean' ? [[id, isOn] as const] : [];
	});
	const servers = common.inspect<unknown>(SETTINGS.agentServers)?.globalValue;
	const host = CommonSettings.shape.terminalHost.safeParse(
		common.inspect<unknown>(SETTINGS.terminalHost)?.globalValue,
	);
	const notify = common.inspect<unknown>(SETTINGS.deskNotify)?.globalValue;
	return {
		delegates: {
			...settingsIn(key => common.inspect<unknown>(key)?.globalValue),
			...(permissions.length > 0 && { permissionsFromAgents: Object.fromEntries(permissions) }),
			...(answers.length > 0 && { answers: Object.fromEntries(answers) }),
			...(typeof notify === 'string' && { notify }),
			...(host.data && { terminalHost: host.data }),
			...chosenIsolation(),
		},
		// Each entry as it is: whoever reads it says what is wrong with it. What is no object names nothing.
		...(servers !== undefined && { agentServers: servers }),
		folders: Object.fromEntries(
			folders.map(folder => {
				if (!vscode.workspace.isTrusted) return [folder, {}];
				const own = vscode.workspace.getConfiguration(undefined, vscode.Uri.file(folder));
				const chosen = (key: string) => {
					const found = own.inspect<unknown>(key);
					return found?.workspaceFolderValue ?? found?.workspaceValue;
				};
				return [folder, FolderSettings.parse(settingsIn(chosen))];
			}),
		),
	};
}

/** What is not of its kind counts as not set, each by itself. */
function settingsIn(chosen: (key: string) => unknown): DelegateSettings {
	const settings: DelegateSettings = {};
	for (const [name, key] of Object.entries(KEYS)) {
		const parsed = DelegateSettings.safeParse({ [name]: chosen(key) });
		if (parsed.success && chosen(key) !== undefined) Object.assign(settings, parsed.data);
	}
	return settings;
}
