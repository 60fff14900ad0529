import * as vscode from 'vscode';
import { version } from '../package.json';
import { errorText } from './base/errors.ts';
import { configFolder, dataFolder } from './base/folders.ts';
import { DeploymentKeeper, type Kept } from './core/deployment/keeper.ts';
import { WorkspaceModel } from './core/live/model.ts';
import { UserSettingsFile } from './core/files/userSettings.ts';
import { Workspace } from './core/workspace/workspace.ts';
import { driverById, drivers, limitOf } from './drivers/index.ts';
import { WindowOperations } from './main/windowOperations.ts';
import { SETTINGS } from './ui/contributions.ts';
import { editorSettings } from './ui/editorSettings.ts';
import { Failures } from './ui/kit/failures.ts';
import { inform } from './ui/kit/messages.ts';
import type { Nancy, Views } from './ui/nancy.ts';
import type { Folder } from './ui/ports.ts';
import { trafficLimits } from './ui/settings.ts';
import { openWindow } from './ui/window.ts';

/** Connects core, drivers and views. late.ts loads this at first use. */
export async function start(context: vscode.ExtensionContext, views: Views): Promise<Nancy> {
	const log = vscode.window.createOutputChannel('Nancy', { log: true });
	context.subscriptions.push(log);
	const operations = new WindowOperations(context.extensionPath, version, error => log.warn(errorText(error)));
	const userSettings = new UserSettingsFile(configFolder());
	let published = Promise.resolve();
	const publish = () => {
		published = published
			.then(() =>
				userSettings.saveEditor(() =>
					editorSettings(
						Array.from(models, ({ workspace }) => workspace.folder),
						drivers,
					),
				),
			)
			.catch((error: unknown) => log.warn(errorText(error)));
	};
	context.subscriptions.push(
		vscode.workspace.onDidChangeConfiguration(change => change.affectsConfiguration('nancy') && publish()),
		vscode.workspace.onDidGrantWorkspaceTrust(publish),
	);
	const models = new Set<WorkspaceModel>();
	const nancy = openWindow({
		context,
		views,
		failures: new Failures(log),
		operations,
		openFolder: (path, name) => {
			const workspace = new Workspace(path);
			const model = new WorkspaceModel(workspace, drivers, {
				ask: driver => operations.ask(driver),
				tickets: operations.delegates.ticketsIn(workspace),
				lookAtQueue: delegates => operations.delegates.look(delegates),
				readOnly: !vscode.workspace.isTrusted,
				collector: { limits: trafficLimits(path) },
			});
			models.add(model);
			publish();
			const folder: Folder = folderOf(model, path, name, () => {
				models.delete(model);
				keeper.dispose();
				settings.dispose();
			});
			const settings = vscode.workspace.onDidChangeConfiguration(change => {
				if (!change.affectsConfiguration(SETTINGS.hooks, vscode.Uri.file(path))) return;
				operations.keepHooksChoice(folder).catch((error: unknown) => log.warn(errorText(error)));
			});
			const keeper = new DeploymentKeeper(model.workspace, drivers, dataFolder(), driver =>
				operations.deployRequest(folder, driver),
			);
			keeper.onDidRepair(repair => sayRepaired(log, repair));
			keeper.onDidFail(error => log.warn(errorText(error)));
			return folder;
		},
		agentName: driver => driverById(driver)?.displayName ?? driver,
		limitOf,
	});
	return {
		...nancy,
		stop: async () => {
			const open = [...models];
			await nancy.stop();
			// The collector's lock goes back to one of the remaining windows.
			await Promise.all(open.map(model => model.close()));
		},
	};
}

function sayRepaired(log: vscode.LogOutputChannel, { driver, changed }: Kept): void {
	const text = vscode.l10n.t(
		'Something had removed or changed Nancy’s hooks for {0}; they are in place again: {1}.',
		driver.displayName,
		changed.join(', '),
	);
	log.info(text);
	void inform(text);
}

function folderOf(model: WorkspaceModel, path: string, name: string, onDispose: () => void): Folder {
	return {
		name,
		path,
		workspace: model.workspace,
		onDidChange: model.onDidChange,
		onDidNeedAttention: model.onDidNeedAttention,
		overview: () => model.overview(),
		messages: address => model.messages(address),
		delegates: () => model.delegates(),
		sessions: () => model.sessions(),
		refresh: () => model.refresh(),
		dispose: () => {
			onDispose();
			void model.close();
		},
	};
}
