import type * as vscode from 'vscode';
import { TreeNode, type LiveTree } from './liveTree.ts';

/** A view and its rows. */
export type ShownTree = readonly [Pick<vscode.TreeView<unknown>, 'visible' | 'reveal'>, LiveTree<unknown>];

/**
 * Runs a command that may remove the row it was called from. VS Code then gives the focus to no row. So the row beside it gets it.
 */
export async function keepingFocus(
	trees: readonly ShownTree[],
	called: unknown,
	run: () => Promise<void> | void,
): Promise<void> {
	const places = trees.flatMap(([view, tree]) => {
		const beside = called instanceof TreeNode ? tree.beside(called) : undefined;
		return beside ? [{ view, beside }] : [];
	});
	await run();
	for (const { view, beside } of places) {
		const next = beside();
		if (!next || !view.visible) continue;
		// Another change may have removed that row as well.
		await view.reveal(next, { focus: true, select: false }).then(undefined, () => undefined);
	}
}
