import * as vscode from 'vscode';

/** A tree item that knows which row it is. */
export type Row = vscode.TreeItem & { id: string; label: string };

export function row(
	id: string,
	label: string,
	state: vscode.TreeItemCollapsibleState = vscode.TreeItemCollapsibleState.None,
): Row {
	return Object.assign(new vscode.TreeItem(label, state), { id, label });
}
