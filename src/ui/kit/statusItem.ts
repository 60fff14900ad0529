import * as vscode from 'vscode';
import { plain, plainLine } from './plain.ts';

/** An entry of the status bar. */
export class StatusItem implements vscode.Disposable {
	private readonly item: vscode.StatusBarItem;

	/** @param rank entries with a higher one are further to the left */
	constructor(id: string, rank: number, { name, command }: { name: string; command: string }) {
		this.item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, rank);
		Object.assign(this.item, { name, command });
	}

	/** @param spoken what a screen reader says in place of the text */
	show(look: { icon: string; text: string; spoken: string; hover: readonly string[]; isUrgent?: boolean }): void {
		this.item.text = `$(${look.icon}) ${plainLine(look.text)}`;
		this.item.tooltip = plain(look.hover.join('\n'));
		this.item.backgroundColor = look.isUrgent
			? new vscode.ThemeColor('statusBarItem.warningBackground')
			: undefined;
		this.item.accessibilityInformation = { label: plainLine(look.spoken), role: 'button' };
		this.item.show();
	}

	hide(): void {
		this.item.hide();
	}

	dispose(): void {
		this.item.dispose();
	}
}
