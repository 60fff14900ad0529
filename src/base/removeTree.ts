import { execFile } from 'node:child_process';
import { lstat, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { onPath } from './searchPath.ts';

/**
 * Removes a folder with all that is in it, below which an agent can write. Node goes by paths: an agent that exchanges a folder by a link
 * meanwhile has the files behind the link removed. `rm` holds each folder open, and follows no link. Does nothing if nothing is there.
 * Windows has no such program. There an open file delays a removal, so it is tried again.
 * @throws Error if something stays
 */
export async function removeTree(path: string): Promise<void> {
	const found = await lstat(path).catch(() => undefined);
	const program = onPath('rm', { PATH: `/bin:/usr/bin:${process.env['PATH'] ?? ''}` });
	if (!found?.isDirectory()) await rm(path, { force: true });
	else if (program === undefined) await rm(path, { recursive: true, force: true, maxRetries: 3 });
	else await promisify(execFile)(program, ['-rf', '--', path], { env: {} });
}
