import * as vscode from 'vscode';
import type { Phase } from '../../core/live/overview.ts';

/** An agent that ended with an error. */
export const failedIcon = new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground'));

/** How each phase looks. In no theme may two of them be told apart by their colour alone. */
export const phaseIcons: Readonly<Record<Phase, vscode.ThemeIcon>> = {
	starting: new vscode.ThemeIcon('loading~spin', new vscode.ThemeColor('charts.blue')),
	working: new vscode.ThemeIcon('loading~spin', new vscode.ThemeColor('charts.blue')),
	waiting: new vscode.ThemeIcon('question', new vscode.ThemeColor('notificationsWarningIcon.foreground')),
	idle: new vscode.ThemeIcon('circle-filled', new vscode.ThemeColor('charts.green')),
	ended: new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground')),
};
