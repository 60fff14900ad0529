import { errorText, hasErrno, isNancyError, type NancyErrorCode } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';

/** A failure, as a word for programs and a sentence for people. */
export interface Failure {
	code: NancyErrorCode;
	message: string | Phrase;
}

/**
 * What a program that calls operations is told of any error, the system's with a cure. It has no log to point to, as the window has: see
 * ui/kit/failures.
 */
export function failureOf(error: unknown): Failure {
	if (isNancyError(error)) return { code: error.code, message: error.said };
	if (hasErrno(error, 'EACCES', 'EPERM', 'EROFS'))
		return { code: 'io', message: phrase`${errorText(error)}. Check who owns that file.` };
	if (hasErrno(error, 'ENOSPC', 'EDQUOT'))
		return { code: 'io', message: phrase`${errorText(error)}. Free some space and try again.` };
	return { code: 'io', message: errorText(error) };
}
