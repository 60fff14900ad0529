import type * as vscode from 'vscode';
import type { ChatTool, CommandId } from './contributions.ts';

/** A tree as extension.ts registers it. */
export interface TreePart {
	readonly provider: vscode.TreeDataProvider<unknown>;
	drag(source: readonly unknown[], data: vscode.DataTransfer): void;
	drop(target: unknown, data: vscode.DataTransfer): Promise<void>;
}

/** The views, which exist before the code that fills them is loaded. */
export interface Views {
	readonly questions: vscode.TreeView<unknown>;
	readonly tasks: vscode.TreeView<unknown>;
	readonly delegates: vscode.TreeView<unknown>;
	readonly inbox: vscode.TreeView<unknown>;
	readonly memory: vscode.TreeView<unknown>;
	readonly traffic: vscode.TreeView<unknown>;
}

/** What VS Code calls for a model of its own chat. */
export interface ChatTools {
	/** What the person is asked before. Throws if the input is none. */
	prepare(tool: ChatTool, input: unknown): vscode.PreparedToolInvocation;
	invoke(tool: ChatTool, input: unknown): Promise<vscode.LanguageModelToolResult>;
}

/** The part of Nancy that is loaded later, as extension.ts uses it. */
export interface Nancy {
	readonly questions: TreePart;
	readonly tasks: TreePart;
	readonly delegates: TreePart;
	readonly inbox: TreePart;
	readonly memory: TreePart;
	readonly traffic: TreePart;
	readonly compose: { resolveWebviewView(view: vscode.WebviewView): void };
	readonly chat: ChatTools;
	/** Text of one of Nancy's read-only documents. */
	document(uri: vscode.Uri): Promise<string>;
	/** The terminal of a project. */
	terminal(): Promise<vscode.TerminalProfile | undefined>;
	/** Runs a command. A failure is shown and never thrown. */
	run(command: CommandId, args: readonly unknown[]): Promise<void>;
	stop(): Promise<void>;
}
