import type * as vscode from 'vscode';
import type { Folders } from '../folders.ts';
import { LiveTree } from '../kit/liveTree.ts';
import type { Row } from '../kit/row.ts';
import { childrenOf, MemoryTaskItem, NoteItem, ProjectItem, ProposalItem, SectionItem } from './memoryItems.ts';
import type { MemoryElement } from './memoryItems.ts';
import {
	noteHover,
	noteRow,
	projectHover,
	projectRow,
	proposalHover,
	proposalRow,
	sectionRow,
	taskHover,
	taskRow,
} from './memoryRows.ts';
import type { Remembered } from './remembered.ts';

/** Rows show their age in minutes. */
const TICK_MS = 20_000;

/** The projects of the window's repositories, with what Nancy remembers of each. VS Code shows the view only while there is one. */
export class MemoryView extends LiveTree<MemoryElement> {
	private readonly looking: { dispose(): unknown };

	constructor(
		private readonly remembered: Remembered,
		private readonly folders: Pick<Folders, 'list'>,
		view: vscode.TreeView<unknown>,
		private readonly agentName: (driver: string) => string,
	) {
		super(view, TICK_MS, remembered.onDidChange);
		// The lines that notes are about change without any change of the projects.
		this.looking = view.onDidChangeVisibility(({ visible }) => visible && remembered.touch());
	}

	override dispose(): void {
		this.looking.dispose();
		super.dispose();
	}

	protected childrenOf(parent: MemoryElement | undefined): MemoryElement[] {
		return childrenOf(parent, this.remembered.list());
	}

	protected itemOf(element: MemoryElement): Row {
		if (element instanceof ProjectItem)
			return projectRow(element, this.folders.list().length > 1 ? element.folder.name : undefined);
		if (element instanceof SectionItem) return sectionRow(element);
		if (element instanceof ProposalItem) return proposalRow(element);
		if (element instanceof NoteItem) return noteRow(element);
		return element instanceof MemoryTaskItem ? taskRow(element) : element.treeItem();
	}

	protected hoverOf(element: MemoryElement): vscode.MarkdownString | undefined {
		if (element instanceof ProjectItem) return projectHover(element);
		if (element instanceof ProposalItem) return proposalHover(element, this.agentName);
		if (element instanceof NoteItem) return noteHover(element, this.agentName);
		return element instanceof MemoryTaskItem ? taskHover(element, this.agentName) : undefined;
	}
}
