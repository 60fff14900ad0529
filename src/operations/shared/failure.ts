import { errorText, hasErrno, NancyError, type NancyErrorCode } from '../../base/errors.ts';

/** A failure, as a word for programs and a sentence for people. */
export interface Failure {
	code: NancyErrorCode;
	message: string;
}

/** The one place where an error becomes a sentence. */
export function failureOf(error: unknown): Failure {
	if (error instanceof NancyError) return { code: error.code, message: error.message };
	if (hasErrno(error, 'EACCES', 'EPERM', 'EROFS'))
		return { code: 'io', message: `${errorText(error)}. Check who owns that file.` };
	if (hasErrno(error, 'ENOSPC', 'EDQUOT'))
		return { code: 'io', message: `${errorText(error)}. Free some space and try again.` };
	return { code: 'io', message: errorText(error) };
}
