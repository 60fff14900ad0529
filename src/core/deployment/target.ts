import { lstat, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import { isInside } from '../../base/inside.ts';
import { readPlainFile } from '../files/plainFile.ts';
import type { Workspace } from '../workspace/workspace.ts';

/**
 * The real path of a place in the workspace, or a sentence (without its full stop) that says why there is none. Behind a file there is
 * nothing; behind a link nobody knows.
 */
export type Way = { is: 'open'; path: string } | { is: 'blocked'; by: 'link' | 'file'; why: Phrase };

/**
 * The real path of a file or folder that Nancy writes, or reads in order to remove. A link on the way may have come with somebody else's
 * repository, and so may the record that names the place. So a link is followed only to a folder in the workspace, and never to git's own.
 * The last name itself may be a link, which the caller handles.
 * @param place relative to the workspace folder, with `/`; neither it nor the folders on the way need exist
 */
export async function wayTo(workspace: Workspace, place: string): Promise<Way> {
	const blocked = (why: Phrase, by: 'link' | 'file' = 'link'): Way => ({
		is: 'blocked',
		by,
		why: phrase`${place} is reached through ${why}`,
	});
	const names = place.split('/');
	if (names.some(isGits)) return { is: 'blocked', by: 'link', why: phrase`${place} belongs to git` };
	const top = (await realPath(workspace.folder)) ?? workspace.folder;
	let path = top;
	for (const [index, name] of names.slice(0, -1).entries()) {
		path = join(path, name);
		const status = await statusOf(lstat, path);
		const link = names.slice(0, index + 1).join('/');
		if (status && !status.isSymbolicLink() && !status.isDirectory())
			return blocked(phrase`${link}, which is a file`, 'file');
		if (!status?.isSymbolicLink()) continue;
		const real = await realPath(path);
		if (real === undefined) return blocked(phrase`${link}, which is a link to nothing`);
		if (!isInside(top, real))
			return blocked(phrase`${link}, which is a link that leads out of the workspace folder`);
		if (relative(top, real).split(sep).some(isGits))
			return blocked(phrase`${link}, which is a link into git's own folder`);
		if (!(await statusOf(lstat, real))?.isDirectory())
			return blocked(phrase`${link}, which is a link to a file`, 'file');
		path = real;
	}
	return { is: 'open', path: join(path, names.at(-1) ?? '') };
}

/** {@link wayTo} a file of another tool. If the file itself is a link, that must stay in the workspace, too. */
export async function wayToFile(workspace: Workspace, file: string): Promise<Way> {
	const way = await wayTo(workspace, file);
	if (way.is === 'blocked' || !(await statusOf(lstat, way.path))?.isSymbolicLink()) return way;
	const blocked = (why: Phrase): Way => ({ is: 'blocked', by: 'link', why: phrase`${file} is ${why}` });
	const [top, real] = [(await realPath(workspace.folder)) ?? workspace.folder, await realPath(way.path)];
	if (real === undefined) return blocked(phrase`a link to nothing`);
	if (!isInside(top, real)) return blocked(phrase`a link that leads out of the workspace folder`);
	return relative(top, real).split(sep).some(isGits) ? blocked(phrase`a link into git's own folder`) : way;
}

/** {@link wayTo} a place that is to be written; throws `settings-broken` where there is none. */
export async function placeIn(workspace: Workspace, place: string): Promise<string> {
	const way = await wayTo(workspace, place);
	if (way.is === 'open') return way.path;
	throw refused(phrase`${way.why}. Put a folder there`);
}

function refused(why: Phrase): NancyError {
	return new NancyError('settings-broken', phrase`${why} and try again; Nancy has not touched anything.`);
}

/** A place as git knows it, relative to the workspace folder with `/`: git looks through no link. */
export async function realPlace(workspace: Workspace, place: string): Promise<string> {
	const way = await wayTo(workspace, place);
	if (way.is === 'blocked') return place;
	const top = (await realPath(workspace.folder)) ?? workspace.folder;
	const real = await realPath(way.path);
	return relative(top, real !== undefined && isInside(top, real) ? real : way.path).replaceAll(sep, '/');
}

/** Whether a name is that of git's folder, also on a disk that makes no difference between large and small letters. */
function isGits(name: string): boolean {
	return name.toLowerCase() === '.git';
}

async function realPath(path: string): Promise<string | undefined> {
	try {
		return await realpath(path);
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
		throw error;
	}
}

/**
 * Another tool's file may be a link to another file of the workspace. Nancy then writes that file, and the link stays. Only a regular file
 * of the user's own is accepted.
 * @param file relative to the workspace folder
 * @throws NancyError `settings-broken` also for a link that leads out of the workspace: an agent can make one to the user's own settings
 */
export async function targetOf(workspace: Workspace, file: string): Promise<string> {
	const path = await placeIn(workspace, file);
	const way = await wayToFile(workspace, file);
	if (way.is === 'blocked') throw refused(phrase`${way.why}. Put a file there`);
	return ownTarget(path, file);
}

/** {@link targetOf} for any file, with the name that messages use for it. */
export async function ownTarget(path: string, name: string): Promise<string> {
	const entry = await statusOf(lstat, path);
	if (!entry) return path;
	const status = await statusOf(stat, path);
	if (!status) throw refused(phrase`${name} is a link to a file that is not there. Repair it`);
	if (!status.isFile()) throw refused(phrase`${name} is not a file. Repair it`);
	if (entry.isSymbolicLink() && status.uid !== process.getuid?.())
		throw refused(phrase`${name} is a link to a file of somebody else. Repair it`);
	return realpath(path);
}

export async function statusOf(look: typeof stat, file: string) {
	try {
		return await look(file);
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
		throw error;
	}
}

/** @throws NancyError `bad-file` for what is no ordinary file, such as a pipe, which would hold the reader up for good */
export async function readBytes(file: string): Promise<Buffer | undefined> {
	const real = await realPath(file);
	return real === undefined ? undefined : readPlainFile(real);
}

/** A file of the workspace as text; empty if there is none. Throws `settings-broken` if a link leads away to it. */
export async function readText(workspace: Workspace, file: string): Promise<string> {
	return (await readBytes(await placeIn(workspace, file)))?.toString('utf8') ?? '';
}
