import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../base/errors.ts';

/** Throws `not-trusted` in Restricted Mode. */
export function requireTrust(): void {
	if (vscode.workspace.isTrusted) return;
	throw new NancyError(
		'not-trusted',
		l10n.t('Trust this workspace first: in Restricted Mode Nancy changes nothing.'),
	);
}
