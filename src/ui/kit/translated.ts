import { l10n } from 'vscode';
import { errorText, NancyError } from '../../base/errors.ts';
import { Phrase } from '../../base/phrase.ts';

/** A text of the core in the user's language. Only Nancy's own words are translated, never a name or another program's text in it. */
export function translated(said: string | Phrase): string {
	if (typeof said === 'string') return said;
	// The keys of the phrases are in the bundle: a test collects them.
	return l10n.t(said.template, ...said.parts.map(part => (part instanceof Phrase ? translated(part) : String(part))));
}

/** What an error says, whatever was thrown, in the user's language. */
export function errorWords(error: unknown): string {
	return error instanceof NancyError ? translated(error.said) : errorText(error);
}
