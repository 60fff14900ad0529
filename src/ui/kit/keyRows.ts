import type * as vscode from 'vscode';

/** The argument of a key of a view, in package.json. */
const BY_KEY = 'by-key';

/**
 * The rows that a key of a view was pressed on. VS Code gives a key's command no row, and tells of the focused row only when its selection
 * changes. So the keys in package.json toggle its selection twice before they run the command, which leaves the selection as it was.
 */
export class KeyRows implements vscode.Disposable {
	private selection: readonly unknown[] = [];
	private toggled: unknown;
	private readonly following: vscode.Disposable;

	/** @param elementOf the thing behind a row */
	constructor(
		view: Pick<vscode.TreeView<unknown>, 'onDidChangeSelection'>,
		private readonly elementOf: (row: unknown) => unknown,
	) {
		this.following = view.onDidChangeSelection(({ selection }) => {
			const before = this.selection;
			const came = selection.filter(row => !before.includes(row));
			this.toggled = [...came, ...before.filter(row => !selection.includes(row))][0];
			this.selection = selection;
		});
	}

	/** The arguments of a command, as if it was called from the menu of the focused row: that row, and all selected ones if it is one. */
	argsOf(args: readonly unknown[]): readonly unknown[] {
		if (args[0] !== BY_KEY) return args;
		const { toggled, selection } = this;
		// If no row has the focus, the next key toggles none.
		this.toggled = undefined;
		const row = this.elementOf(toggled);
		return selection.includes(toggled) ? [row, selection.map(each => this.elementOf(each))] : [row];
	}

	dispose(): void {
		this.following.dispose();
	}
}
