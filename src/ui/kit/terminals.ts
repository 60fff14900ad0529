import * as vscode from 'vscode';
import { plainLine } from './plain.ts';

/** Opens a terminal. Its name may quote anybody: VS Code makes icons of `$(x)` in it. */
export function openTerminal(
	options: (vscode.TerminalOptions | vscode.ExtensionTerminalOptions) & { name: string },
): vscode.Terminal {
	const named = { ...options, name: plainLine(options.name, 80) };
	return vscode.window.createTerminal(named);
}

/** VS Code renames no other one. */
export async function renameActiveTerminal(name: string): Promise<void> {
	await vscode.commands.executeCommand('workbench.action.terminal.renameWithArg', { name: plainLine(name, 80) });
}

/** A terminal of the list behind VS Code's “+”. */
export function plainProfile(options: vscode.TerminalOptions & { name: string }): vscode.TerminalProfile {
	return new vscode.TerminalProfile({ ...options, name: plainLine(options.name, 80) });
}

/** @param make of a plain profile */
export function offerProfile(id: string, make: () => Promise<vscode.TerminalProfile | undefined>): vscode.Disposable {
	return vscode.window.registerTerminalProfileProvider(id, { provideTerminalProfile: make });
}
