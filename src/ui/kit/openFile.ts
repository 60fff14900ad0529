import * as vscode from 'vscode';

/** Shows a file in the editor, in the tab that the next file replaces. */
export async function openFile(file: string, preserveFocus = false): Promise<void> {
	await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: true, preserveFocus });
}
