import { translated } from './ui/kit/translated.ts';
import * as vscode from 'vscode';
import { version } from '../package.json';
import { errorText } from './base/errors.ts';
import { configFolder } from './base/folders.ts';
import type { WorkspaceModel } from './core/live/model.ts';
import { UserSettingsFile } from './core/files/userSettings.ts';
import { driverById, drivers, limitOf } from './drivers/index.ts';
import { chatTools } from './main/chatTools.ts';
import { liveFolder, modelOf } from './main/liveFolder.ts';
import { WindowDesk } from './main/windowDesk.ts';
import { WindowOperations } from './main/windowOperations.ts';
import { editorSettings } from './ui/editorSettings.ts';
import { Failures } from './ui/kit/failures.ts';
import type { Nancy, Views } from './ui/nancy.ts';
import type { Folder } from './ui/ports.ts';
import { openWindow } from './ui/window.ts';

/** Connects core, drivers and views. late.ts loads this at first use. */
export async function start(context: vscode.ExtensionContext, views: Views): Promise<Nancy> {
	const log = vscode.window.createOutputChannel('Nancy', { log: true });
	context.subscriptions.push(log);
	const warn = (error: unknown) => log.warn(errorText(error));
	const models = new Set<WorkspaceModel>();
	const folders = new Set<Folder>();
	const { publish, published } = publisher(() => Array.from(models, ({ workspace }) => workspace.folder), warn);
	const operations = new WindowOperations(context.extensionPath, version, warn, published);
	context.subscriptions.push(
		vscode.workspace.onDidChangeConfiguration(change => change.affectsConfiguration('nancy') && publish()),
		vscode.workspace.onDidGrantWorkspaceTrust(publish),
	);
	const nancy = openWindow({
		context,
		views,
		failures: new Failures(log),
		operations,
		projects: operations.projects,
		executors: operations.executors,
		desk: new WindowDesk(context.extensionPath, folder => operations.contextOf(folder)),
		openFolder: (path, name) => {
			const model = modelOf(path, operations);
			models.add(model);
			publish();
			const onDispose = () => {
				models.delete(model);
				folders.delete(folder);
			};
			const folder = liveFolder({ name, path, model, operations, log, warn, onDispose });
			folders.add(folder);
			return folder;
		},
		agentName: driver => driverById(driver)?.displayName ?? driver,
		agentShortName: driver => driverById(driver)?.shortName ?? driver,
		modeName,
		limitOf,
		readerOf: driverById,
		interruptOf: agent => driverById(agent)?.interrupt ?? 'none',
		canFork: agent => (driverById(agent)?.floors.fork ?? 'none') !== 'none',
	});
	return {
		...nancy,
		chat: chatTools({ folders: () => [...folders], contextOf: folder => operations.contextOf(folder) }),
		stop: async () => {
			const open = [...models];
			await nancy.stop();
			// The collector's lock goes back to one of the remaining windows.
			await Promise.all(open.map(model => model.close()));
		},
	};
}

/** A delegate may be of an agent that this version does not know. */
function modeName(driver: string, mode: string): string {
	const headless = driverById(driver)?.headless ?? 'none';
	const known = headless === 'none' ? undefined : headless.permissionModes.find(({ id }) => id === mode);
	return known ? translated(known.label) : mode;
}

/** Copies this window's settings into the user's file, where the `nancy` command reads them; one copy after the other. */
function publisher(folders: () => string[], warn: (error: unknown) => void) {
	const userSettings = new UserSettingsFile(configFolder());
	let last = Promise.resolve();
	return {
		publish: () => {
			last = last.then(() => userSettings.saveEditor(() => editorSettings(folders(), drivers))).catch(warn);
		},
		/** Fulfilled once what has changed so far stands in the file. */
		published: () => last,
	};
}
