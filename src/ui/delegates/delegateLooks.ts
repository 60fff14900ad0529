import * as vscode from 'vscode';
import type { DelegateState } from '../../protocol/delegate.ts';

/** The icons of the rows of delegates, by state. */
export const icons: Readonly<Record<DelegateState, vscode.ThemeIcon>> = {
	running: new vscode.ThemeIcon('loading~spin', new vscode.ThemeColor('charts.blue')),
	queued: new vscode.ThemeIcon('clockface', new vscode.ThemeColor('disabledForeground')),
	parked: new vscode.ThemeIcon('debug-pause', new vscode.ThemeColor('notificationsWarningIcon.foreground')),
	failed: new vscode.ThemeIcon('error', new vscode.ThemeColor('errorForeground')),
	done: new vscode.ThemeIcon('pass', new vscode.ThemeColor('charts.green')),
};

/** A delegate that was stopped on purpose is not shown as an error. */
export const stoppedIcon = new vscode.ThemeIcon('circle-slash', new vscode.ThemeColor('disabledForeground'));

export const mergedIcon = new vscode.ThemeIcon('git-merge', new vscode.ThemeColor('charts.green'));
