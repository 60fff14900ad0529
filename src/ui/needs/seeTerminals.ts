import * as vscode from 'vscode';
import type { Folders } from '../folders.ts';
import { workerItems } from '../pickers.ts';
import { seeStop } from './needCommands.ts';
import type { SeenStops } from './seenStops.ts';
import { isAgentOf } from '../tasks/sealedWorker.ts';

/**
 * A user who brings an agent's terminal to the front has seen that it stopped. No user has brought the first terminal that comes there
 * after a reload. VS Code puts it there, before or after Nancy listens.
 */
export function seeTerminals(folders: Folders, seen: SeenStops): vscode.Disposable {
	let isRestored = vscode.window.activeTerminal !== undefined;
	return vscode.window.onDidChangeActiveTerminal(async terminal => {
		const isBrought = isRestored;
		isRestored ||= terminal !== undefined;
		if (!terminal || !isBrought || !vscode.window.state.focused) return;
		const pid = await terminal.processId;
		const item = workerItems(folders).find(each => isAgentOf(each, pid));
		if (item) seeStop(seen, item);
	});
}
