import { l10n } from 'vscode';
import { said } from '../../base/errors.ts';
import type { Named, Phrase } from '../../base/phrase.ts';

let titleOf: (named: Named) => string = String;

/** Says what a person calls a task, a worker, a delegate or an agent. The window sets it once it knows its folders. */
export function sayTitles(of: (named: Named) => string): void {
	titleOf = of;
}

/** A text of the core in the user's language. */
export function translated(text: string | Phrase): string {
	// A test collects the templates of all phrases for the bundle.
	return typeof text === 'string' ? text : text.in((template, ...parts) => l10n.t(template, ...parts), titleOf);
}

/** What an error says, whatever was thrown, in the user's language. */
export function errorWords(error: unknown): string {
	return translated(said(error));
}
