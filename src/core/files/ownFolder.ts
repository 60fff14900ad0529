import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type * as z from 'zod/mini';
import {
	createFileAtomic,
	createFileAtomicSync,
	moveIfThereSync,
	writeFileAtomic,
	writeFileAtomicSync,
} from '../../base/atomicFile.ts';
import { hasCode, hasErrno, NancyError } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import { jsonText, parseJsonFile, readJsonFile } from './jsonFile.ts';
import { notePlace, recordsOf } from './recordPlaces.ts';
import { readPlainFile, readPlainText, readPlainTextSync } from './plainFile.ts';

/** In bytes. More than any record. */
const LONGEST_RECORD = 64 * 1024 * 1024;

/** A name that is one path segment and nothing else. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/**
 * Sealed records of one workspace, in the user's data folder. Agents and repositories write below the workspace, so nothing there is proof.
 * Records that decide about another tool's file, a process, a delegate or an author are kept here. Every folder on the way belongs to the
 * user, and so does each record; otherwise each call throws `bad-file`.
 */
export class OwnFolder {
	/** Where this workspace's records are. Two paths that lead to the same folder share them. */
	readonly folder: string;
	private isNoted = false;

	/**
	 * @param dataFolder the user's: see base/folders
	 * @param workspaceFolder need not exist
	 */
	constructor(
		readonly dataFolder: string,
		private readonly workspaceFolder: string,
	) {
		this.folder = recordsOf(dataFolder, realPath(workspaceFolder));
	}

	/** The path of a record. @throws NancyError `bad-name` for a segment that is not a plain name */
	path(...segments: readonly string[]): string {
		const wrong = segments.find(segment => !SEGMENT.test(segment));
		if (wrong !== undefined) throw new NancyError('bad-name', phrase`"${wrong}" cannot name a record`);
		return join(this.folder, ...segments);
	}

	/**
	 * A record, or `undefined` if there is none.
	 * @throws NancyError `bad-file` for an unreadable one
	 */
	async read<S extends z.ZodMiniType>(schema: S, ...segments: readonly string[]): Promise<z.infer<S> | undefined> {
		const file = this.path(...segments);
		requireOwn(this.wayTo(segments), file);
		// The user's own folder may be below a link.
		return readJsonFile(file, schema, readPlainText);
	}

	/** {@link read} for the hook program, whose agent waits for it. */
	readSync<S extends z.ZodMiniType>(schema: S, ...segments: readonly string[]): z.infer<S> | undefined {
		const file = this.path(...segments);
		requireOwn(this.wayTo(segments), file);
		// An isolated agent can put a pipe or a link among the seals of its mailbox.
		const text = readPlainTextSync(file, LONGEST_RECORD);
		return text === undefined ? undefined : parseJsonFile(file, text, schema);
	}

	/**
	 * Gives a record another name, in place of an earlier one of that name. Does nothing without such a record. For the hook program too.
	 */
	moveSync(from: readonly string[], to: readonly string[]): void {
		const [source, target] = [this.path(...from), this.path(...to)];
		const way = this.wayTo(from);
		requireOwn(way, source);
		requireOwn(this.wayTo(to).filter(folder => !way.includes(folder)));
		if (moveIfThereSync(source, target) || !existsSync(source)) return;
		mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
		moveIfThereSync(source, target);
	}

	/**
	 * A copy of somebody's file, or `undefined` if there is none.
	 * @throws NancyError `bad-file` for an unreadable one
	 */
	async readBytes(...segments: readonly string[]): Promise<Buffer | undefined> {
		const file = this.path(...segments);
		requireOwn(this.wayTo(segments), file);
		return readPlainFile(file);
	}

	/** Writes a copy of somebody's file whole, and waits until it is on the disk. */
	async writeBytes(bytes: Uint8Array, ...segments: readonly string[]): Promise<void> {
		await this.prepare(segments);
		await writeFileAtomic(this.path(...segments), bytes, { sync: true });
	}

	/** Makes a folder of records if it is missing, and returns its path. */
	async makeFolder(...segments: readonly string[]): Promise<string> {
		await this.prepare([...segments, 'record']);
		return segments.length === 0 ? this.folder : this.path(...segments);
	}

	/** Writes a record whole, in place of an earlier one. */
	async write(value: unknown, ...segments: readonly string[]): Promise<void> {
		await this.prepare(segments);
		await writeFileAtomic(this.path(...segments), jsonText(value));
	}

	/** {@link write} for the hook program. */
	writeSync(value: unknown, ...segments: readonly string[]): void {
		writeFileAtomicSync(this.prepareSync(segments), jsonText(value));
	}

	/** {@link create} for the hook program. */
	createSync(value: unknown, ...segments: readonly string[]): boolean {
		return createFileAtomicSync(this.prepareSync(segments), jsonText(value));
	}

	/** Removes a record, if it is there. For the hook program too. */
	removeSync(...segments: readonly string[]): void {
		const file = this.path(...segments);
		requireOwn(this.wayTo(segments));
		rmSync(file, { force: true });
	}

	/** The names in a folder of records; none if it is not there. For the hook program too. */
	namesSync(...segments: readonly string[]): string[] {
		const folder = this.path(...segments);
		requireOwn([...this.wayTo(segments), folder]);
		return existsSync(folder) ? readdirSync(folder) : [];
	}

	/** Writes a record that must not exist yet. `false`: it does. Exactly one caller gets `true`. */
	async create(value: unknown, ...segments: readonly string[]): Promise<boolean> {
		await this.prepare(segments);
		return createFileAtomic(this.path(...segments), jsonText(value));
	}

	/** Removes a record or a folder of records. */
	async remove(...segments: readonly string[]): Promise<void> {
		const path = this.path(...segments);
		requireOwn(this.wayTo(segments));
		await rm(path, { recursive: true, force: true });
	}

	private prepareSync(segments: readonly string[]): string {
		const file = this.path(...segments);
		if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		requireOwn(this.wayTo(segments));
		return file;
	}

	/**
	 * Notes whose records these are: see {@link notePlace}. To be called before {@link writeSync}, which does not. It comes before the records, for
	 * nobody would know after a kill whose they are.
	 */
	async note(): Promise<void> {
		if (this.isNoted) return;
		const all = dirname(this.folder);
		await mkdir(all, { recursive: true, mode: 0o700 });
		requireOwn([this.dataFolder, all, this.folder]);
		await notePlace(this.folder, realPath(this.workspaceFolder));
		this.isNoted = true;
	}

	private async prepare(segments: readonly string[]): Promise<void> {
		this.path(...segments);
		await this.note();
		const folders = this.wayTo(segments);
		await mkdir(folders.at(-1) ?? this.folder, { recursive: true, mode: 0o700 });
		requireOwn(folders);
	}

	/** The data folder and every folder from there to the record, outermost first. */
	private wayTo(segments: readonly string[]): string[] {
		const inner = segments.slice(0, -1).map((_, index) => join(this.folder, ...segments.slice(0, index + 1)));
		return [this.dataFolder, dirname(this.folder), this.folder, ...inner];
	}
}

/**
 * Refuses folders in which somebody else could put a record: links and folders of other owners. A folder of the user's own that others may
 * write is closed to them: earlier versions of Nancy left such folders under some umasks. A missing folder is no danger. Windows has no
 * owners and modes to ask; there an access list closes the user's profile. Synchronous, because each look takes microseconds and hooks look
 * too.
 * @param folders outermost first
 * @param file in the last folder; somebody may have put it there while that was open
 * @returns whether others could write into one of the folders until now
 * @throws NancyError `bad-file`
 */
export function requireOwn(folders: readonly string[], file?: string): boolean {
	const me = process.getuid?.();
	let wasOpen = false;
	for (const folder of folders) {
		const found = statusOf(folder);
		if (!found) return wasOpen;
		if (!found.isDirectory()) throw notOwn(folder, phrase`is not a folder`);
		if (me === undefined) continue;
		if (found.uid !== me) throw notOwn(folder, phrase`belongs to user ${found.uid}, not to you`);
		if ((found.mode & 0o022) === 0) continue;
		wasOpen = true;
		chmodSync(folder, found.mode & 0o7755);
	}
	const found = file === undefined ? undefined : statusOf(file);
	if (file !== undefined && found && me !== undefined && found.uid !== me)
		throw notOwn(file, phrase`belongs to user ${found.uid}, not to you`);
	return wasOpen;
}

/** In a folder that is not the user's own, no seal proves anything, wherever it is and whatever it says. */
export function ifOwn<T>(act: () => T): T | undefined {
	try {
		return act();
	} catch (error) {
		if (hasCode(error, 'bad-file')) return undefined;
		throw error;
	}
}

/** For a read of one of many records: one that does not parse counts as none, and keeps nobody from the others. */
export function unlessBad(error: unknown): undefined {
	if (!hasCode(error, 'bad-file')) throw error;
}

function statusOf(path: string) {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
		throw error;
	}
}

function notOwn(path: string, what: Phrase): NancyError {
	return new NancyError(
		'bad-file',
		phrase`${path} ${what}. Nancy keeps records there that must be yours alone, and does nothing until this is repaired.`,
	);
}

/** Not `realOr`: a folder that cannot be looked into must not get other records. */
function realPath(folder: string): string {
	try {
		return realpathSync(folder);
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return folder;
		throw error;
	}
}
