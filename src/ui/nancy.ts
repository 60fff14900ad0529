import type * as vscode from 'vscode';
import type { CommandId } from './contributions.ts';

/** A tree as extension.ts registers it. */
export interface TreePart {
	readonly provider: vscode.TreeDataProvider<unknown>;
	drag(source: readonly unknown[], data: vscode.DataTransfer): void;
	drop(target: unknown, data: vscode.DataTransfer): Promise<void>;
}

/** The views that exist from the first moment, before what fills them is loaded. */
export interface Views {
	readonly tasks: vscode.TreeView<unknown>;
	readonly delegates: vscode.TreeView<unknown>;
	readonly inbox: vscode.TreeView<unknown>;
	readonly traffic: vscode.TreeView<unknown>;
}

/** What extension.ts needs of the part that is loaded later. */
export interface Nancy {
	readonly tasks: TreePart;
	readonly delegates: TreePart;
	readonly inbox: TreePart;
	readonly traffic: TreePart;
	readonly compose: { resolveWebviewView(view: vscode.WebviewView): void };
	/** Text of one of Nancy's read-only documents. */
	document(uri: vscode.Uri): Promise<string>;
	/** Runs a command; its failure is shown here and never thrown to the caller. */
	run(command: CommandId, args: readonly unknown[]): Promise<void>;
	stop(): Promise<void>;
}
