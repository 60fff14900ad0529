import * as vscode from 'vscode';
import type { Folders } from '../folders.ts';
import { workerItems } from '../pickers.ts';
import { seeStop } from './needCommands.ts';
import type { SeenStops } from './seenStops.ts';

/** A user who brings an agent's terminal to the front has seen that it stopped. */
export function seeTerminals(folders: Folders, seen: SeenStops): vscode.Disposable {
	return vscode.window.onDidChangeActiveTerminal(async terminal => {
		if (!terminal || !vscode.window.state.focused) return;
		const pid = await terminal.processId;
		const item = workerItems(folders).find(({ worker }) => pid !== undefined && worker.record.process?.pid === pid);
		if (item) seeStop(seen, item);
	});
}
