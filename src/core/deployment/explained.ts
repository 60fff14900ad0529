import { errorText, hasErrno, NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Nancy cannot repair a full or read-only disk. The error says what to do, and that nothing is half done. */
export async function explained<T>(workspace: Workspace, run: () => Promise<T>): Promise<T> {
	try {
		return await run();
	} catch (cause) {
		// On a read-only disk, Node reports that the new folder does not exist.
		const isUnmade = hasErrno(cause, 'ENOENT') && errorText(cause).includes('mkdir');
		if (cause instanceof NancyError) throw cause;
		if (!isUnmade && !hasErrno(cause, 'EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT')) throw cause;
		const cure = hasErrno(cause, 'ENOSPC', 'EDQUOT') ? phrase`Free some space` : phrase`Check who may write there`;
		throw new NancyError(
			'io',
			phrase`${workspace.folder} cannot be set up or cleaned up: ${errorText(cause)}. ${cure} and try again; no file is half written.`,
			{ cause },
		);
	}
}
