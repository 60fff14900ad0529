import * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { DelegateOrder } from './askDelegate.ts';

/** Also what package.json offers “Delegate This” for in an editor's title. */
const DRAFT = { scheme: 'untitled', language: 'markdown' } as const;

/** Prompts that are written in an editor of their own, where one line is too little; VS Code keeps them over a reload. */
export class DelegateDrafts implements vscode.CodeLensProvider, vscode.Disposable {
	/** What the prompts of this window are for, by their documents' addresses. */
	private readonly orders = new Map<string, DelegateOrder>();
	private readonly owned: vscode.Disposable;

	constructor() {
		this.owned = vscode.Disposable.from(
			vscode.languages.registerCodeLensProvider(DRAFT, this),
			vscode.workspace.onDidCloseTextDocument(({ uri }) => this.orders.delete(uri.toString())),
		);
	}

	dispose(): void {
		this.owned.dispose();
	}

	/** @param text what has been typed elsewhere so far */
	async write(order: DelegateOrder, text: string): Promise<void> {
		const document = await vscode.workspace.openTextDocument({ language: DRAFT.language, content: text });
		this.orders.set(document.uri.toString(), order);
		const { end } = document.lineAt(document.lineCount - 1).range;
		await vscode.window.showTextDocument(document, { preview: false, selection: new vscode.Range(end, end) });
	}

	/** `undefined` for a document that was not opened for a prompt, or before the window was reloaded. */
	orderOf({ uri }: vscode.TextDocument): DelegateOrder | undefined {
		return this.orders.get(uri.toString());
	}

	/** It has been delegated: its text is the delegate's prompt now, and nobody is to be asked whether to save it. */
	async close(document: vscode.TextDocument): Promise<void> {
		if (!this.orders.has(document.uri.toString()) || document.isClosed) return;
		await vscode.window.showTextDocument(document);
		await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
	}

	provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
		if (!this.orderOf(document)) return [];
		const title = `$(run-all) ${l10n.t('Delegate This')}`;
		const command = { title, command: 'nancy.delegateThis', arguments: [document.uri] };
		return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
	}
}
