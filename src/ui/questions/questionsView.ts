import type * as vscode from 'vscode';
import type { Folders } from '../folders.ts';
import { LiveTree } from '../kit/liveTree.ts';
import type { Row } from '../kit/row.ts';
import { openQuestions, type QuestionItem } from './questionItem.ts';
import { questionHover, questionRow } from './questionRows.ts';

/** Rows show their age in minutes. */
const TICK_MS = 20_000;

/** What agents ask and nobody has answered, oldest first. VS Code shows the view only while there is something. */
export class QuestionsView extends LiveTree<QuestionItem> {
	constructor(
		private readonly folders: Folders,
		view: vscode.TreeView<unknown>,
		private readonly agentName: (driver: string) => string,
	) {
		super(view, TICK_MS, folders.onDidChange);
	}

	protected childrenOf(parent: QuestionItem | undefined): QuestionItem[] {
		return parent === undefined ? openQuestions(this.folders) : [];
	}

	protected itemOf(item: QuestionItem): Row {
		const isAmongOthers = this.folders.list().length > 1;
		return questionRow(item, this.agentName, isAmongOthers ? item.folder.name : undefined);
	}

	protected hoverOf(item: QuestionItem): vscode.MarkdownString {
		return questionHover(item, this.agentName);
	}
}
