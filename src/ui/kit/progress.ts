import * as vscode from 'vscode';
import { plain } from './plain.ts';

/** Shows in a notification that work is going on, and lets a person break it off. */
export function cancellable<T>(title: string, work: (signal: AbortSignal) => Promise<T>): Thenable<T> {
	const options = { location: vscode.ProgressLocation.Notification, title: plain(title), cancellable: true };
	return vscode.window.withProgress(options, async (_, token) => {
		const controller = new AbortController();
		const following = token.onCancellationRequested(() => controller.abort());
		try {
			return await work(controller.signal);
		} finally {
			following.dispose();
		}
	});
}

/** Shows in a view that work is going on. */
export function inProgress<T>(view: string, work: () => Promise<T>): Thenable<T> {
	return vscode.window.withProgress({ location: { viewId: view } }, work);
}
