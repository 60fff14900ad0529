import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type * as z from 'zod/mini';
import { moveIfThereSync } from '../../base/atomicFile.ts';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { sha256 } from '../../base/sha256.ts';
import { createJsonFile, parseJsonFile, readJsonFile, writeJsonFile } from './jsonFile.ts';

/** A name that is one path segment and nothing else. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/**
 * Sealed records of one workspace, in the user's data folder. Agents and repositories write below the workspace, so nothing there
 * is proof. What decides about another tool's file, a process, a delegate or an author is kept here. Every folder on the way
 * belongs to the user and nobody else may write into it; otherwise each call throws `bad-file`.
 */
export class OwnFolder {
	/** Where this workspace's records are. Two paths that lead to the same folder share them. */
	readonly folder: string;

	/**
	 * @param dataFolder the user's: see base/folders
	 * @param workspaceFolder need not exist
	 */
	constructor(
		private readonly dataFolder: string,
		workspaceFolder: string,
	) {
		this.folder = join(dataFolder, 'workspaces', sha256(realPath(workspaceFolder)).slice(0, 32));
	}

	/** The path of a record. @throws NancyError `bad-name` for a segment that is not a plain name */
	path(...segments: readonly string[]): string {
		const wrong = segments.find(segment => !SEGMENT.test(segment));
		if (wrong !== undefined) throw new NancyError('bad-name', `"${wrong}" cannot name a record`);
		return join(this.folder, ...segments);
	}

	/** A record, or `undefined` where there is none. @throws NancyError `bad-file` for one that cannot be read */
	async read<S extends z.ZodMiniType>(schema: S, ...segments: readonly string[]): Promise<z.infer<S> | undefined> {
		const file = this.path(...segments);
		requireOwn(this.wayTo(segments));
		return readJsonFile(file, schema);
	}

	/** {@link read} for the hook program, whose agent waits for it. */
	readSync<S extends z.ZodMiniType>(schema: S, ...segments: readonly string[]): z.infer<S> | undefined {
		const file = this.path(...segments);
		requireOwn(this.wayTo(segments));
		try {
			return parseJsonFile(file, readFileSync(file, 'utf8'), schema);
		} catch (error) {
			if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
			throw error;
		}
	}

	/** Gives a record another name, in place of an earlier one of that name. Does nothing where there is none. For the hook program too. */
	moveSync(from: readonly string[], to: readonly string[]): void {
		const [source, target] = [this.path(...from), this.path(...to)];
		requireOwn([...this.wayTo(from), ...this.wayTo(to)]);
		if (!existsSync(source)) return;
		mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
		moveIfThereSync(source, target);
	}

	/** Writes a record whole, in place of an earlier one. */
	async write(value: unknown, ...segments: readonly string[]): Promise<void> {
		await this.prepare(segments);
		await writeJsonFile(this.path(...segments), value);
	}

	/** Writes a record that must not be there yet. `false`: it is; exactly one caller gets `true`. */
	async create(value: unknown, ...segments: readonly string[]): Promise<boolean> {
		await this.prepare(segments);
		return createJsonFile(this.path(...segments), value);
	}

	/** Removes a record or a folder of records. */
	async remove(...segments: readonly string[]): Promise<void> {
		const path = this.path(...segments);
		requireOwn(this.wayTo(segments));
		await rm(path, { recursive: true, force: true });
	}

	private async prepare(segments: readonly string[]): Promise<void> {
		this.path(...segments);
		const folders = this.wayTo(segments);
		await mkdir(folders.at(-1) ?? this.folder, { recursive: true, mode: 0o700 });
		requireOwn(folders);
	}

	/** The data folder and every folder from there to the record, outermost first. */
	private wayTo(segments: readonly string[]): string[] {
		const inner = segments.slice(0, -1).map((_, index) => join(this.folder, ...segments.slice(0, index + 1)));
		return [this.dataFolder, join(this.dataFolder, 'workspaces'), this.folder, ...inner];
	}
}

/**
 * Refuses folders in which somebody else could put a record: links, other owners, and folders that others may write. Those that are not
 * there are no danger. Windows has no owners and modes to ask; there the user's profile is closed by its access list. Synchronous,
 * for each look takes microseconds and hooks look too.
 * @throws NancyError `bad-file`
 */
export function requireOwn(folders: readonly string[]): void {
	const me = process.getuid?.();
	for (const folder of folders) {
		const found = lstatSync(folder, { throwIfNoEntry: false });
		if (!found) continue;
		if (!found.isDirectory()) throw notOwn(folder, 'is not a folder');
		if (me === undefined) continue;
		if (found.uid !== me) throw notOwn(folder, `belongs to user ${found.uid}, not to you`);
		if ((found.mode & 0o022) !== 0) throw notOwn(folder, 'can be written by other users; run: chmod go-w on it');
	}
}

function notOwn(folder: string, what: string): NancyError {
	return new NancyError(
		'bad-file',
		`${folder} ${what}. Nancy keeps there what must be yours alone, and does nothing until that is repaired.`,
	);
}

function realPath(folder: string): string {
	try {
		return realpathSync(folder);
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return folder;
		throw error;
	}
}
