import * as vscode from 'vscode';
import { CONTEXT_KEYS } from './contributions.ts';

/** Sets the context keys for the `when` clauses of package.json. VS Code is told of a key only when it changes. */
export class ContextKeys {
	private readonly said = new Map<string, boolean>();

	set(key: keyof typeof CONTEXT_KEYS, value: boolean): void {
		if (this.said.get(key) === value) return;
		this.said.set(key, value);
		void vscode.commands.executeCommand('setContext', CONTEXT_KEYS[key], value);
	}
}
