import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { FileProblem } from '../../core/files/fileProblem.ts';

/** Nobody knows whether the agent of a record runs that cannot be read. @throws NancyError `bad-file` for the first one */
export function refuseUnread([problem]: readonly FileProblem[]): void {
	if (problem)
		throw new NancyError(
			'bad-file',
			phrase`${problem.file} ${problem.reason}: its agent may run; move the file away`,
		);
}
