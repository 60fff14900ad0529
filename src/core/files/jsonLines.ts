import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { hasErrno } from '../../base/errors.ts';

/** How far a file of JSON lines has been read. */
export interface LineCursor {
	readonly inode: bigint;
	/** Bytes taken so far; always the beginning of a line. */
	readonly offset: number;
}

export interface LineListener {
	onLine(line: string): void;
	/** The file is another one, shorter than before, or gone. Earlier lines no longer count. */
	onRestart(): void;
}

export interface LineOptions {
	/** Start this many bytes before the end when there is no cursor yet (the first, partial line is skipped). */
	tailBytes?: number;
	signal?: AbortSignal | undefined;
}

const CHUNK = 256 * 1024;

/** Does not wait for the writer of a pipe: who writes below the workspace could put one there. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** A longer line is skipped: it is not Nancy's, and would have to be held in memory whole. */
const LONGEST_LINE = 32 * 1024 * 1024;

/**
 * Reads the lines added to a file since `cursor`, in pieces, so that a large file blocks neither memory nor the event loop. A last line
 * without its end is left for the next time. A missing file has no lines, nor has anything that is no ordinary file.
 */
export async function readNewLines(
	file: string,
	cursor: LineCursor | undefined,
	listener: LineListener,
	options: LineOptions = {},
): Promise<LineCursor | undefined> {
	let handle;
	try {
		handle = await open(file, READ);
	} catch (error) {
		if (!hasErrno(error, 'ENOENT', 'ENOTDIR')) throw error;
		if (cursor) listener.onRestart();
		return undefined;
	}
	try {
		const found = await handle.stat({ bigint: true });
		const size = found.isFile() ? Number(found.size) : 0;
		const continues = cursor !== undefined && cursor.inode === found.ino && size >= cursor.offset;
		if (cursor && !continues) listener.onRestart();
		const from = continues ? cursor.offset : Math.max(0, size - (options.tailBytes ?? Infinity));
		// The tail starts inside a line.
		const lines = new LineSplitter(from, !continues && from > 0, line => listener.onLine(line));
		let position = from;
		while (position < size && !options.signal?.aborted) {
			const buffer = Buffer.allocUnsafe(Math.min(CHUNK, size - position));
			const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
			if (bytesRead === 0) break;
			lines.push(buffer.subarray(0, bytesRead));
			position += bytesRead;
			// A hook's calls of the disk do not leave the thread, and its limit is a timer.
			await nextTurn();
		}
		return { inode: found.ino, offset: lines.taken };
	} finally {
		await handle.close();
	}
}

/** Divides consecutive pieces of a file into lines. */
class LineSplitter {
	/** Where the last whole line ends, in bytes from the beginning of the file. */
	taken: number;
	private position: number;
	/** The beginning of a line whose end has not come yet. */
	private pending: Buffer[] = [];
	private pendingBytes = 0;

	/**
	 * @param from where the first piece begins
	 * @param isSkipping inside a line whose beginning was not read, or that is too long
	 */
	constructor(
		from: number,
		private isSkipping: boolean,
		private readonly onLine: (line: string) => void,
	) {
		this.taken = from;
		this.position = from;
	}

	push(chunk: Buffer): void {
		let start = 0;
		for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
			this.finish(chunk.subarray(start, end));
			start = end + 1;
			this.taken = this.position + start;
		}
		if (start < chunk.length && !this.isSkipping) this.keep(chunk.subarray(start));
		this.position += chunk.length;
	}

	/** @param last the end of a line */
	private finish(last: Buffer): void {
		const bytes = this.pending.length === 0 ? last : Buffer.concat([...this.pending, last]);
		this.drop();
		const line = this.isSkipping ? '' : bytes.toString('utf8');
		this.isSkipping = false;
		if (line !== '') this.onLine(line);
	}

	private keep(part: Buffer): void {
		this.pending.push(part);
		this.pendingBytes += part.length;
		if (this.pendingBytes <= LONGEST_LINE) return;
		this.isSkipping = true;
		this.drop();
	}

	private drop(): void {
		this.pending = [];
		this.pendingBytes = 0;
	}
}

/** The value of a line, or `undefined` for one that is torn or not JSON. */
export function parseLine(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}
