import * as vscode from 'vscode';
import { plain } from './plain.ts';

/** Notifications and questions. The text may quote anybody; buttons are Nancy's own words. */

export function inform(text: string, ...buttons: string[]): Thenable<string | undefined> {
	return vscode.window.showInformationMessage(plain(text), ...buttons);
}

export function warn(text: string, ...buttons: string[]): Thenable<string | undefined> {
	return vscode.window.showWarningMessage(plain(text), ...buttons);
}

export function complain(text: string, ...buttons: string[]): Thenable<string | undefined> {
	return vscode.window.showErrorMessage(plain(text), ...buttons);
}

/** Asks in a modal dialog; `undefined` if the user cancels. */
export function ask(question: string, detail: string, ...buttons: string[]): Thenable<string | undefined> {
	const options = { modal: true, detail: plain(detail) };
	return vscode.window.showWarningMessage(plain(question), options, ...buttons);
}

/** @throws CancellationError unless the user presses the button */
export async function confirm(question: string, detail: string, button: string): Promise<void> {
	if ((await ask(question, detail, button)) !== button) throw new vscode.CancellationError();
}
