import * as vscode from 'vscode';

/** Shows in a view that work is going on. */
export function inProgress<T>(view: string, work: () => Promise<T>): Thenable<T> {
	return vscode.window.withProgress({ location: { viewId: view } }, work);
}
