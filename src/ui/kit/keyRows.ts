import type * as vscode from 'vscode';

/**
 * The rows that a key of a view was pressed on. VS Code gives a key's command no row, and tells of the focused row only when its selection
 * changes. So the keys in package.json toggle its selection twice before they run the command, which leaves the selection as it was.
 */
export class KeyRows implements vscode.Disposable {
	private selection: readonly unknown[] = [];
	private toggled: unknown;
	private readonly following: vscode.Disposable;

	constructor(view: Pick<vscode.TreeView<unknown>, 'onDidChangeSelection'>) {
		this.following = view.onDidChangeSelection(({ selection }) => {
			const before = this.selection;
			const came = selection.filter(row => !before.includes(row));
			this.toggled = [...came, ...before.filter(row => !selection.includes(row))][0];
			this.selection = selection;
		});
	}

	/** The arguments of a command, as from the menu of the focused row: that row, and all selected ones if it is one of them. */
	take(): readonly unknown[] {
		const { toggled, selection } = this;
		// If no row has the focus, the next key toggles none.
		this.toggled = undefined;
		return selection.includes(toggled) ? [toggled, selection] : [toggled];
	}

	dispose(): void {
		this.following.dispose();
	}
}
