import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';

/** Does not wait for the writer of a pipe. */
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Largest file that is read whole, in bytes. More than any prompt. An endless file would end the reader. */
const LONGEST = 64 * 1024 * 1024;

/** The largest mark, in bytes: a line or two with a path. */
const LONGEST_MARK = 16 * 1024;

/**
 * Opens a file whose folder may have come with a repository. Follows no link, which could lead to a secret or an endless device, and opens
 * only an ordinary file. `undefined` if there is none.
 * @throws NancyError `bad-file` for anything else
 */
export async function openPlainFile(file: string): Promise<FileHandle | undefined> {
	let handle: FileHandle;
	try {
		handle = await open(file, PLAIN);
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
		if (hasErrno(error, 'ELOOP')) throw isLink(file);
		throw error;
	}
	try {
		if ((await handle.stat()).isFile()) return handle;
		throw isNoFile(file);
	} catch (error) {
		await handle.close();
		throw error;
	}
}

/**
 * {@link openPlainFile}, read whole.
 * @throws NancyError `bad-file` also for one that is longer than `limit` bytes
 */
export async function readPlainFile(file: string, limit = LONGEST): Promise<Buffer | undefined> {
	const handle = await openPlainFile(file);
	if (!handle) return undefined;
	try {
		const { size } = await handle.stat();
		if (size > limit) throw isTooLong(file, size, limit);
		return await handle.readFile();
	} finally {
		await handle.close();
	}
}

/**
 * The text of a short file that Nancy writes whole: a mark, a binding. Any other kind of file, such as a pipe that would block the
 * reader for ever, counts as empty, and the next writer replaces it.
 */
export async function readMark(file: string): Promise<string | undefined> {
	try {
		return await readPlainText(file, LONGEST_MARK);
	} catch (error) {
		if (error instanceof NancyError) return undefined;
		throw error;
	}
}

/** {@link readPlainText} for the hook program, whose agent waits for it, and for a look at many small files. */
export function readPlainTextSync(file: string, limit = LONGEST): string | undefined {
	return inPlainFileSync(file, limit, fd => readFileSync(fd, 'utf8'));
}

/** {@link readPlainFile} for the hook program. */
export function readPlainFileSync(file: string, limit: number): Buffer | undefined {
	return inPlainFileSync(file, limit, fd => readFileSync(fd));
}

/** {@link readPlainFileSync} for a file that must have no second name, which may be that of a file elsewhere. */
export function readUnsharedFileSync(file: string, limit: number): Buffer | undefined {
	return inPlainFileSync(file, limit, (fd, { nlink }) => {
		if (nlink > 1) throw refused(file, phrase`has a second name (a hard link)`);
		return readFileSync(fd);
	});
}

function inPlainFileSync<T>(file: string, limit: number, read: (fd: number, found: Stats) => T): T | undefined {
	let fd: number;
	try {
		fd = openSync(file, PLAIN);
	} catch (error) {
		if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
		if (hasErrno(error, 'ELOOP')) throw isLink(file);
		throw error;
	}
	try {
		const found = fstatSync(fd);
		if (!found.isFile()) throw isNoFile(file);
		if (found.size > limit) throw isTooLong(file, found.size, limit);
		return read(fd, found);
	} finally {
		closeSync(fd);
	}
}

/** The text of {@link readPlainFile}. */
export async function readPlainText(file: string, limit?: number): Promise<string | undefined> {
	return (await readPlainFile(file, limit))?.toString('utf8');
}

function isLink(file: string): NancyError {
	return refused(file, phrase`is a symbolic link, which Nancy does not follow`);
}

function isNoFile(file: string): NancyError {
	return refused(file, phrase`is no ordinary file`);
}

function isTooLong(file: string, size: number, limit: number): NancyError {
	return refused(file, phrase`has ${size} bytes, more than the ${limit} that it may have`);
}

function refused(file: string, what: Phrase): NancyError {
	return new NancyError('bad-file', phrase`${file} ${what}; move it away and try again`);
}
