import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import type { CommandId } from '../contributions.ts';

/** package.json offers “Start Task with This” and “Delegate This” in the title of editors with this scheme. */
const DRAFT = { scheme: 'untitled', language: 'markdown' } as const;

/** Prompts that the user writes in an editor, because one line is too short. VS Code keeps them over a reload. */
export class PromptEditors<Order> implements vscode.CodeLensProvider, vscode.Disposable {
	/** The purpose of each prompt of this window, by the address of its document. */
	private readonly orders = new Map<string, Order>();
	private readonly owned: vscode.Disposable;

	/** @param command starts what the editor says, and is offered above it by its title */
	constructor(readonly command: { title: string; id: CommandId }) {
		this.owned = vscode.Disposable.from(
			vscode.languages.registerCodeLensProvider(DRAFT, this),
			vscode.workspace.onDidCloseTextDocument(({ uri }) => this.orders.delete(uri.toString())),
		);
	}

	dispose(): void {
		this.owned.dispose();
	}

	/** @param text the text that the user has already typed in the box */
	async write(order: Order, text: string): Promise<void> {
		const document = await vscode.workspace.openTextDocument({ language: DRAFT.language, content: text });
		this.orders.set(document.uri.toString(), order);
		const { end } = document.lineAt(document.lineCount - 1).range;
		await vscode.window.showTextDocument(document, { preview: false, selection: new vscode.Range(end, end) });
	}

	/** `undefined` for a document that was not opened for a prompt, or before the window was reloaded. */
	orderOf({ uri }: vscode.TextDocument): Order | undefined {
		return this.orders.get(uri.toString());
	}

	/** The prompt could not be started, or only in part. It stays in an editor, for the rest. */
	async keep(order: Order, text: string, document?: vscode.TextDocument): Promise<void> {
		if (document && this.orderOf(document)) this.orders.set(document.uri.toString(), order);
		else await this.write(order, text);
	}

	/**
	 * Empties the document of a prompt that was started, so that VS Code does not ask whether to save it. If the user has typed
	 * more meanwhile, the document stays as it is.
	 * @param text the started prompt
	 */
	async close(document: vscode.TextDocument, text: string): Promise<void> {
		const { uri } = document;
		if (!this.orderOf(document) || !document.isUntitled || document.isClosed || document.getText() !== text) return;
		const emptied = new vscode.WorkspaceEdit();
		emptied.delete(uri, new vscode.Range(document.positionAt(0), document.positionAt(text.length)));
		// VS Code counts an empty document as saved.
		if (!(await vscode.workspace.applyEdit(emptied)) || document.getText() !== '') return;
		const tabs = vscode.window.tabGroups.all.flatMap(group => group.tabs);
		await vscode.window.tabGroups.close(
			tabs.filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString()),
		);
	}

	provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
		if (!this.orderOf(document)) return [];
		const { title, id } = this.command;
		const command = { title: `$(run-all) ${title}`, command: id, arguments: [document.uri] };
		return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), command)];
	}
}

/**
 * The document that a command was called from, or the active one, with its text: a prompt.
 * @throws NancyError `bad-message` where nothing is written
 */
export async function promptDocument(called: unknown): Promise<{ document: vscode.TextDocument; text: string }> {
	const document =
		called instanceof vscode.Uri
			? await vscode.workspace.openTextDocument(called)
			: vscode.window.activeTextEditor?.document;
	const text = document?.getText() ?? '';
	if (document && text.trim() !== '') return { document, text };
	throw new NancyError('bad-message', l10n.t('Write into an editor what is to be done first.'));
}
