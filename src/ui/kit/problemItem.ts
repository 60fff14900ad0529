import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { basename } from 'node:path';
import { row, type Row } from './row.ts';

/** A file of Nancy's that cannot be read. It is left alone; a person can open and mend it. */
export class ProblemItem {
	constructor(readonly problem: { file: string; reason: string }) {}

	treeItem(): Row {
		const { file, reason } = this.problem;
		const item = row(`problem:${file}`, basename(file));
		item.contextValue = 'problem';
		item.iconPath = new vscode.ThemeIcon('warning', new vscode.ThemeColor('notificationsWarningIcon.foreground'));
		item.description = reason;
		item.tooltip = `${file}\n${reason}`;
		item.command = { command: 'vscode.open', title: l10n.t('Open File'), arguments: [vscode.Uri.file(file)] };
		item.accessibilityInformation = { label: l10n.t('{0} cannot be read: {1}', basename(file), reason) };
		return item;
	}
}
