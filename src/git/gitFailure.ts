import { NancyError } from '../base/errors.ts';

/** Of a call that Nancy has ended. */
export function tooLong(folder: string, command: string, timeoutMs: number): NancyError {
	return new NancyError(
		'timeout',
		`git ${command} gave no answer for ${folder} in ${timeoutMs / 1000} s; is one of the files in its .git, or a .gitignore, a pipe?`,
	);
}

/** Of a call that git has ended with an error. */
export function failure(folder: string, [command]: readonly string[], said: string, error: Error | null): NancyError {
	if (said.includes('cannot use bare repository')) {
		return new NancyError(
			'not-trusted',
			`${folder} is in a folder that looks like a bare repository: a clone can bring one along, with settings that run programs. ` +
				'Work at the top of the checkout around it, or in a checkout of it',
			{ cause: error },
		);
	}
	const isNotFetched = /lazy fetching disabled|transport '.*' not allowed/.test(said);
	const hint = isNotFetched ? '; Nancy has git fetch nothing: run “git fetch --refetch --no-filter” there first' : '';
	return new NancyError('git', `git ${command}: ${lastLines(said) || 'it has failed'}${hint}`, { cause: error });
}

/** Behind such a sentence stands what git has read: a line of `shallow` or `packed-refs`, for one. */
const ABOUT_CONTENT =
	/^((?:fatal|error): [^:]*\b(?:bad|broken|corrupt\w*|garbage|invalid|malformed|unexpected|unknown|unrecognized|unterminated)\b[^:]*):.*/s;

/** Lines of `objects/info/alternates`, also of a store that the repository names, and of `info/grafts`. */
const QUOTING = /^error: (?:object directory |unable to normalize |bad graft )|: ignoring alternate object stores/;

/**
 * Git's own sentences, and the names of files below them. Its other lines may quote a file that an agent may not read, but has named in the
 * settings: `core.attributesFile`, for one.
 */
function lastLines(text: string): string {
	return text
		.split('\n')
		.filter(line => /^(?:fatal: |error: |\t)/.test(line) && !QUOTING.test(line))
		.map(line => line.replace(ABOUT_CONTENT, '$1'))
		.slice(-5)
		.join(' ')
		.slice(-1000);
}
