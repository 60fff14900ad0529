import { execFile } from 'node:child_process';
import { lstat, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { onPath } from './searchPath.ts';

const STANDARD = '/bin:/usr/bin';

/**
 * Removes a folder with all that is in it, below which an agent can write. Node goes by paths: an agent that exchanges a folder by a link
 * meanwhile has the files behind the link removed. `rm` holds each folder open, and follows no link. Does nothing if nothing is there.
 * Windows has no such program. There an open file delays a removal, so it is tried again.
 * @throws Error if something stays
 */
export async function removeTree(path: string): Promise<void> {
	const found = await lstat(path).catch(() => undefined);
	if (!found?.isDirectory()) await rm(path, { force: true });
	else if (program('rm') === undefined) await rm(path, { recursive: true, force: true, maxRetries: 3 });
	else await call('rm', '-rf', '--', path).catch(() => removeReadOnly(path));
}

/** Go's module cache has folders that nobody may write to. A folder that an agent exchanges by a link meanwhile has at most that one's rights changed. */
async function removeReadOnly(path: string): Promise<void> {
	const isClosed = ['-type', 'd', '!', '-perm', '-700'];
	await call('find', '-P', path, ...isClosed, '-exec', 'chmod', 'u+rwx', '{}', '+').catch(() => undefined); // `rm` tells why
	await call('rm', '-rf', '--', path);
}

function program(name: string): string | undefined {
	return onPath(name, { PATH: `${STANDARD}:${process.env['PATH'] ?? ''}` });
}

async function call(name: string, ...args: readonly string[]): Promise<void> {
	await promisify(execFile)(program(name) ?? name, args, { env: { PATH: STANDARD } });
}
