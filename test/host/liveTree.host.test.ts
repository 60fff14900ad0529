import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Emitter } from '../../src/base/event.ts';
import { elementOf, LiveTree } from '../../src/ui/kit/liveTree.ts';
import { row, type Row } from '../../src/ui/kit/row.ts';

interface Thing {
	readonly id: string;
	readonly process: number;
}

class Things extends LiveTree<Thing> {
	constructor(
		public things: readonly Thing[],
		view: vscode.TreeView<unknown>,
		changed: Emitter<void>,
	) {
		super(view, 60_000, changed.event);
	}

	protected childrenOf(parent: Thing | undefined): readonly Thing[] {
		return parent ? [] : this.things;
	}

	protected itemOf(thing: Thing): Row {
		return Object.assign(row(thing.id, 'a thing'), {
			command: { command: 'nancy.focusTerminal', title: 'Open', arguments: [thing] },
		});
	}

	protected hoverOf(): undefined {
		return undefined;
	}
}

describe('a row that looks as before', () => {
	it('opens what it stands for by now', () => {
		const changed = new Emitter<void>();
		const view = vscode.window.createTreeView('nancy.nowhere', {
			treeDataProvider: { getChildren: () => [], getTreeItem: () => new vscode.TreeItem('') },
		});
		const tree = new Things([{ id: 'one', process: 1 }], view, changed);
		try {
			const [node] = tree.getChildren();
			assert.ok(node);
			const item = tree.getTreeItem(node);
			tree.things = [{ id: 'one', process: 2 }];
			changed.fire();
			assert.deepEqual(elementOf(item.command?.arguments?.[0]), { id: 'one', process: 2 });
		} finally {
			tree.dispose();
			view.dispose();
		}
	});
});
