import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import { realOr } from '../../base/realPath.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Driver } from '../driver/driver.ts';
import { openPlainFile, readPlainFile } from '../files/plainFile.ts';
import { recordsOf } from '../files/recordPlaces.ts';
import { foldersUpFrom } from '../workspace/placeFrom.ts';
import { checkoutsAbove, outermostCheckout, outermostPlace, posixPath } from './checkouts.ts';
import { requireSameForAll } from './sameForAll.ts';
import { shownPath } from './shownPath.ts';

/** Nobody has as many settings. A larger place cannot be searched at every start. */
export const MOST_FILES = 10_000;

/**
 * The names of files begin here: the workspace folder, or the same folder of a worktree. No `.git` that an agent makes gives a file
 * another name.
 */
export function nameBase(workspaceFolder: string, folder: string): string {
	return isInside(workspaceFolder, folder) ? workspaceFolder : folder;
}

interface SettingsPlace {
	/** The folder that these are the settings of. */
	at: string;
	path: string;
	/** See {@link Driver.moduleSettings}. */
	deniesNothing: boolean;
}

/** Where the settings of a CLI that works in a folder may be. */
export function placesOf(driver: Driver, { dataFolder, workspaceFolder }: Owner, folder: string): SettingsPlace[] {
	const isWorkspace = (at: string) => existsSync(join(at, '.nancy')) || existsSync(recordsOf(dataFolder, realOr(at)));
	const outermost = outermostPlace(folder, isWorkspace) ?? nameBase(workspaceFolder, folder);
	return foldersUpFrom(folder)
		.filter(at => isInside(outermost, at))
		.flatMap(at => [
			...driver.executableSettings.map(setting => ({ at, path: join(at, setting), deniesNothing: false })),
			...driver.moduleSettings.map(setting => ({ at, path: join(at, setting), deniesNothing: true })),
		]);
}

/** Whose settings are looked at. */
export interface Owner {
	readonly dataFolder: string;
	readonly workspaceFolder: string;
}

/**
 * @param except files and folders that are left out, absolute
 * @yields each file of settings, and each folder that is called like one: its path, and the folder that it is the settings of
 * @throws NancyError `not-trusted` for a name that is no text and for what {@link requireSameForAll} refuses
 */
export async function* settingsFiles(
	driver: Driver,
	owner: Owner,
	folder: string,
	except: ReadonlySet<string> = new Set(),
): AsyncIterable<SettingsPlace & { isFolder?: true }> {
	let count = 0;
	const plain = new Set<string>();
	for (const place of placesOf(driver, owner, folder)) {
		for await (const path of filesIn(place.path, { above: new Set(), plain, except })) {
			if (++count > MOST_FILES) throw tooMany(place.path);
			yield { ...place, ...path };
		}
	}
}

/** By the name of a file: each path that has it. Those of a worktree and of the workspace have the same names. */
export type Programs = ReadonlyMap<string, readonly string[]>;

/**
 * By their names, without those outside: where each would be, and where it is. A link elsewhere may lead in, and so may `..` behind a link.
 * Settings of a worktree may name a program of the workspace by its whole path.
 * @throws NancyError `not-trusted` for what {@link requireSameForAll} refuses
 */
export function programsAmong(paths: Iterable<string>, workspaceFolder: string, folder: string): Programs {
	const base = nameBase(workspaceFolder, folder);
	const [nearest = base] = checkoutsAbove(folder);
	const outermost = outermostCheckout(workspaceFolder) ?? workspaceFolder;
	const places = [
		{ top: nearest, from: base },
		{ top: outermost, from: workspaceFolder },
	];
	const all = [...places, ...places.map(({ top, from }) => ({ top: realOr(top), from: realOr(from) }))];
	const isOurs = (path: string) => all.some(({ top }) => isInside(top, path));
	const programs = new Map<string, string[]>();
	const add = (path: string) => {
		const name = nameAmong(all, path);
		const known = name === undefined ? undefined : (programs.get(name) ?? []);
		if (name !== undefined && known && !known.includes(path)) programs.set(name, [...known, path]);
	};
	const plain = new Set<string>();
	for (const path of paths) {
		add(path);
		const found = ifReadable(() => requireSameForAll(path, plain, isOurs));
		if (found !== undefined) add(found);
	}
	return programs;
}

interface Place {
	/** What is below counts. */
	readonly top: string;
	/** Names begin here. */
	readonly from: string;
}

/** What is behind `..` has a name of its own: the folder before it may be a link that leads out, and may go. */
function nameAmong(places: readonly Place[], path: string): string | undefined {
	const before = path.search(/\/\.\.(?:\/|$)/);
	const known = before < 0 ? path : path.slice(0, before);
	const place = places.find(({ top }) => isInside(top, known));
	if (!place) return undefined;
	const name = posixPath(place.from, known);
	return before < 0 ? name : `${name}${path.slice(before)}`.replace(/^\//, '');
}

/** The result of a look; `undefined` for files that the user may not read. No agent of the user's runs anything from these. */
function ifReadable<T>(look: () => T): T | undefined {
	try {
		return look();
	} catch (error) {
		if (hasErrno(error, 'EACCES', 'EPERM')) return undefined;
		throw error;
	}
}

interface Search {
	/** Folders that this one is in, by their real paths: a link may lead back. */
	readonly above: ReadonlySet<string>;
	/** See {@link requireSameForAll}. */
	readonly plain: Set<string>;
	/** Left out. */
	readonly except: ReadonlySet<string>;
}

/** Gemini CLI takes the first `.env` that is there for the only one, also if it is an empty folder. */
const CALLED_FILE = /^\.(?:env|npmrc)|\.(?:jsonc?|toml)$/;

async function* filesIn(
	path: string,
	{ above, plain, except }: Search,
): AsyncIterable<{ path: string; isFolder?: true }> {
	if (except.has(path)) return;
	requireSameForAll(path, plain);
	const found = await stat(path).catch((error: unknown) => {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
		throw error;
	});
	if (!found?.isDirectory()) {
		if (found) yield { path };
		return;
	}
	const real = await realpath(path);
	if (above.has(real)) return;
	if (CALLED_FILE.test(basename(path))) yield { path, isFolder: true };
	for (const bytes of await readdir(path, { encoding: 'buffer' }))
		yield* filesIn(join(path, nameIn(path, bytes)), { above: new Set([...above, real]), plain, except });
}

/** Node finds no file whose name is no text. A CLI may. */
function nameIn(folder: string, bytes: Buffer): string {
	const name = bytes.toString('utf8');
	if (bytes.equals(Buffer.from(name))) return name;
	throw new NancyError(
		'not-trusted',
		`${shownPath(folder)} has a file whose name is no text, so nobody can look at it; remove it`,
	);
}

/** The largest program that is read whole, in bytes. */
export const LONGEST_PROGRAM = 64 * 1024 * 1024;

/** Tells a change of what has a name: the same if all its places hold the same. */
export async function programsHash(paths: readonly string[], plain?: Set<string>): Promise<string | undefined> {
	const hashes = new Set<string>();
	for (const path of paths) {
		const hash = await programHash(path, plain);
		if (hash !== undefined) hashes.add(hash);
	}
	return hashes.size === 0 ? undefined : [...hashes].toSorted().join(' and ');
}

/**
 * What tells a change of a program that settings name; `undefined` if it is no file.
 * @throws NancyError `not-trusted` for a pipe, and for what {@link requireSameForAll} refuses
 */
export async function programHash(path: string, plain?: Set<string>): Promise<string | undefined> {
	try {
		// Most are mere words.
		if (requireSameForAll(path, plain) === undefined) return undefined;
		const found = await stat(path);
		if (found.isDirectory() || found.isSocket()) return undefined;
		if (!found.isFile()) throw isPipe(path);
		const file = await realpath(path);
		if (found.size > LONGEST_PROGRAM) return hashOf(await contentHash(file), found.mode);
		return hashOf((await readPlainFile(file, LONGEST_PROGRAM)) ?? '', found.mode);
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return undefined;
		if (hasErrno(error, 'EACCES', 'EPERM')) return sha256('unreadable');
		throw error;
	}
}

/** The hash of a file that is too long to be held in memory. */
async function contentHash(path: string): Promise<string> {
	// Seldom needed, and every window would load them.
	const [{ createHash }, { pipeline }] = await Promise.all([import('node:crypto'), import('node:stream/promises')]);
	const hash = createHash('sha256');
	const file = await openPlainFile(path);
	// It closes the file, too.
	if (file) await pipeline(file.createReadStream(), hash);
	return hash.digest('hex');
}

function isPipe(path: string): NancyError {
	return new NancyError(
		'not-trusted',
		`settings name ${shownPath(path)}, which is a pipe or a device, so nobody can look at what runs; remove it`,
	);
}

/** A program that its owner may not run any more is another one: it may have denied something. */
export function hashOf(content: string | Buffer, mode: number): string {
	return sha256(content) + ((mode & 0o100) === 0 ? '' : ' program');
}

/**
 * What git runs in a folder because its repository says so: a name for people, and a hash that tells a change. The core starts no git.
 */
export type GitPrograms = (folder: string) => Promise<ReadonlyMap<string, string>>;

export function tooMany(path: string, what = `${MOST_FILES} files of settings`): NancyError {
	return new NancyError('not-trusted', `there are more than ${what} at ${shownPath(path)}; remove some`);
}
