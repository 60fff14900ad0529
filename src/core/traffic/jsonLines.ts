import { open } from 'node:fs/promises';
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

/** A longer line is skipped: it is not Nancy's, and would have to be held in memory whole. */
const LONGEST_LINE = 32 * 1024 * 1024;

/**
 * Reads the lines added to a file since `cursor`, in pieces, so that a large file blocks neither memory nor the event loop. A last line
 * without its end is left for the next time. A missing file has no lines.
 */
export async function readNewLines(
	file: string,
	cursor: LineCursor | undefined,
	listener: LineListener,
	options: LineOptions = {},
): Promise<LineCursor | undefined> {
	let handle;
	try {
		handle = await open(file, 'r');
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
		let position = from;
		let taken = from;
		// Inside a line whose beginning was not read: the tail starts mid-line, or the line is too long.
		let skipping = !continues && from > 0;
		let pending: Buffer[] = [];
		let pendingBytes = 0;
		while (position < size && !options.signal?.aborted) {
			const buffer = Buffer.allocUnsafe(Math.min(CHUNK, size - position));
			const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
			if (bytesRead === 0) break;
			const chunk = buffer.subarray(0, bytesRead);
			let start = 0;
			for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
				const piece = chunk.subarray(start, end);
				const line =
					pending.length === 0 ? piece.toString('utf8') : Buffer.concat([...pending, piece]).toString('utf8');
				pending = [];
				pendingBytes = 0;
				if (!skipping && line !== '') listener.onLine(line);
				skipping = false;
				start = end + 1;
				taken = position + start;
			}
			if (start < chunk.length && !skipping) {
				pending.push(chunk.subarray(start));
				pendingBytes += chunk.length - start;
				if (pendingBytes > LONGEST_LINE) {
					skipping = true;
					pending = [];
					pendingBytes = 0;
				}
			}
			position += bytesRead;
		}
		return { inode: found.ino, offset: taken };
	} finally {
		await handle.close();
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
