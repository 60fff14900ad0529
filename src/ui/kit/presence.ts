import * as vscode from 'vscode';
import { Touches } from './held.ts';

/** Follows the user into a view. The view adds what VS Code tells to its rows alone. */
export function touchesOf(view: vscode.TreeView<unknown>): { touches: Touches; following: vscode.Disposable } {
	const touches = new Touches(() => !view.visible || !vscode.window.state.focused);
	const touch = () => touches.touch();
	const following = vscode.Disposable.from(
		view.onDidChangeSelection(touch),
		view.onDidExpandElement(touch),
		view.onDidCollapseElement(touch),
	);
	return { touches, following };
}
