import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { sentence } from '../kit/format.ts';
import { errorWords } from '../kit/translated.ts';

/** Agents that got the same prompt, by the names that a person knows. At least one has failed. */
export interface Tried {
	started: readonly string[];
	failures: readonly { name: string; error: unknown }[];
	/** The title of the command that tries it again from the prompt's editor. Absent if no editor has the prompt. */
	again: string | undefined;
}

/** Names together all that have failed. */
export function notStarted({ started, failures, again }: Tried): NancyError {
	const why = reasons(failures);
	const names = failures.map(({ name }) => name).join(', ');
	const what =
		started.length === 0 ? why : l10n.t('Started: {0}. Not started: {1}. {2}', started.join(', '), names, why);
	const text = again === undefined ? what : l10n.t('{0} “{1}” in the prompt’s editor tries that again.', what, again);
	return new NancyError('io', text, { cause: failures[0]?.error });
}

/** A reason that all have in common is said once. */
function reasons(failures: Tried['failures']): string {
	const each = failures.map(({ name, error }) => ({ name, why: sentence(errorWords(error)) }));
	const [only, ...others] = new Set(each.map(({ why }) => why));
	if (only !== undefined && others.length === 0) return only;
	return each.map(({ name, why }) => `${name}: ${why}`).join(' ');
}

/** The agent's name, with the model if one is named. */
export function runName(displayName: string, model: string | undefined): string {
	return model === undefined ? displayName : `${displayName} (${model})`;
}
