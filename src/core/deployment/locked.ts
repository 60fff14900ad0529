import { join } from 'node:path';
import { errorText, hasErrno, NancyError } from '../../base/errors.ts';
import { holdingLock } from '../files/holdingLock.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Twenty delegates that start at once on a busy machine look one after another whether all is deployed, most of a second each. */
const PATIENCE_MS = 60_000;

/** Deploys or takes back, one at a time over all windows and commands. */
export function locked<T>(workspace: Workspace, run: () => Promise<T>): Promise<T> {
	return explained(workspace, () => holdingLock(join(workspace.paths.root, 'deploy.lock'), run, PATIENCE_MS));
}

/** A disk that is full or may not be written is nothing Nancy can cure: says what to do, and that nothing is half done. */
export async function explained<T>(workspace: Workspace, run: () => Promise<T>): Promise<T> {
	try {
		return await run();
	} catch (cause) {
		// Where nothing may be written, Node says of a folder to be made that it is not there.
		const isUnmade = hasErrno(cause, 'ENOENT') && errorText(cause).includes('mkdir');
		if (cause instanceof NancyError) throw cause;
		if (!isUnmade && !hasErrno(cause, 'EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT')) throw cause;
		const cure = hasErrno(cause, 'ENOSPC', 'EDQUOT') ? 'Free some space' : 'Check who may write there';
		throw new NancyError(
			'io',
			`${workspace.folder} cannot be set up or cleaned up: ${errorText(cause)}. ${cure} and try again; no file is half written.`,
			{ cause },
		);
	}
}
