import * as vscode from 'vscode';
import { NancyError } from '../base/errors.ts';

export function requireTrust(): void {
	if (vscode.workspace.isTrusted) return;
	throw new NancyError(
		'not-trusted',
		vscode.l10n.t('Trust this workspace first: in Restricted Mode Nancy changes nothing.'),
	);
}
