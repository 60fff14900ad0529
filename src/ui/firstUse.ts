import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';

/** How often to look for a folder's `.nancy`, in milliseconds: as often as the folder's model would. */
const PERIOD_MS = 5000;

/**
 * Calls `use` once, as soon as this window has something for Nancy to do before the user asks for it. That is a folder with a `.nancy`,
 * which may be made by the `nancy` command, or a setting, which that command must know.
 */
export function onFirstUse(use: () => void): vscode.Disposable {
	let isOver = false;
	const look = async () => {
		if (isOver || !(hasSettings() || (await hasFiles())) || isOver) return;
		waiting.dispose();
		use();
	};
	const timer = setInterval(() => void look(), PERIOD_MS);
	timer.unref();
	const waiting = vscode.Disposable.from(
		{ dispose: () => (isOver = true) },
		{ dispose: () => clearInterval(timer) },
		vscode.workspace.onDidChangeWorkspaceFolders(look),
		vscode.workspace.onDidChangeConfiguration(change => change.affectsConfiguration('nancy') && look()),
	);
	void look();
	return waiting;
}

function hasSettings(): boolean {
	const places = [undefined, ...(vscode.workspace.workspaceFolders ?? [])];
	return places.some(place => {
		const found = vscode.workspace.getConfiguration(undefined, place).inspect('nancy');
		return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].some(
			value => value !== undefined,
		);
	});
}

async function hasFiles(): Promise<boolean> {
	const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
	const found = folders.map(({ uri }) =>
		stat(join(uri.fsPath, '.nancy')).then(
			() => true,
			() => false,
		),
	);
	return (await Promise.all(found)).includes(true);
}
