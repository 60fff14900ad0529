import * as vscode from 'vscode';
import { Emitter } from '../../base/event.ts';
import type { Failures } from '../kit/failures.ts';
import { elementOf } from '../kit/liveTree.ts';
import { keyOf, recipientOfRow, type Labelled } from './recipients.ts';
import { isAgentOf } from '../tasks/sealedWorker.ts';

/** Whom the user looks at: the first recipient of a message. */
export class ComposeLooks implements vscode.Disposable {
	private readonly _onDidChange = new Emitter<void>();
	readonly onDidChange = this._onDidChange.event;
	/** The process in the active terminal. */
	private activeProcess: number | undefined;
	private readonly following: readonly vscode.Disposable[];

	/** @param tasks the Tasks view */
	constructor(
		private readonly tasks: vscode.TreeView<unknown>,
		failures: Failures,
	) {
		const look = () => failures.background(this.followTerminal());
		this.following = [
			tasks.onDidChangeSelection(() => this._onDidChange.fire()),
			vscode.window.onDidChangeActiveTerminal(look),
		];
		look();
	}

	/** The key of the selected row's worker, else the active terminal's, else the only one's. */
	suggestion(all: readonly Labelled[]): string | undefined {
		const selected = this.tasks.selection.flatMap(row => recipientOfRow(elementOf(row)) ?? []).map(keyOf);
		const bySelection = all.find(({ key }) => selected.includes(key));
		const pid = this.activeProcess;
		const byTerminal = all.find(each => isAgentOf(each, pid));
		return (bySelection ?? byTerminal ?? (all.length === 1 ? all[0] : undefined))?.key;
	}

	dispose(): void {
		for (const each of this.following) each.dispose();
		this._onDidChange.dispose();
	}

	private async followTerminal(): Promise<void> {
		const terminal = vscode.window.activeTerminal;
		const pid = await terminal?.processId;
		if (terminal !== vscode.window.activeTerminal) return;
		this.activeProcess = pid;
		this._onDidChange.fire();
	}
}
