import { lstat, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno, NancyError } from '../../base/errors.ts';
import type { Workspace } from '../workspace.ts';

/**
 * Another tool's file may be a link to a file kept elsewhere: that one is written, and the link stays. Anything but a file of the
 * user's own is refused.
 * @param file relative to the workspace folder
 */
export function targetOf(workspace: Workspace, file: string): Promise<string> {
	return ownTarget(join(workspace.folder, file), file);
}

/** {@link targetOf} for any file, by the name that it is called in what a person reads. */
export async function ownTarget(path: string, name: string): Promise<string> {
	const entry = await statusOf(lstat, path);
	if (!entry) return path;
	const status = await statusOf(stat, path);
	const refused = (what: string) =>
		new NancyError('settings-broken', `${name} ${what}. Repair it and try again; Nancy has not touched it.`);
	if (!status) throw refused('is a link to a file that is not there');
	if (!status.isFile()) throw refused('is not a file');
	if (entry.isSymbolicLink() && status.uid !== process.getuid?.())
		throw refused('is a link to a file of somebody else');
	return realpath(path);
}

export async function statusOf(look: typeof stat, file: string) {
	try {
		return await look(file);
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw error;
	}
}

export async function readBytes(file: string): Promise<Buffer | undefined> {
	try {
		return await readFile(file);
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return undefined;
		throw error;
	}
}

/** A file of the workspace as text; empty where there is none. */
export async function readText(workspace: Workspace, file: string): Promise<string> {
	return (await readBytes(join(workspace.folder, file)))?.toString('utf8') ?? '';
}
