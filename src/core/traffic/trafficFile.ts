import { constants } from 'node:fs';
import { lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasErrno } from '../../base/errors.ts';
import type { SessionId } from '../../protocol/names.ts';
import { refuseHardLink, refuseLinks } from '../files/links.ts';
import type { NancyPaths } from '../files/paths.ts';
import { parseLine, readNewLines } from '../files/jsonLines.ts';

export interface TrafficLimits {
	/** A session's file is rotated before it grows beyond this many bytes; one older file is kept. */
	sessionBytes: number;
	/** All traffic files of a workspace together. The oldest go first. */
	totalBytes: number;
}

export const DEFAULT_LIMITS: TrafficLimits = { sessionBytes: 8 * 1024 * 1024, totalBytes: 512 * 1024 * 1024 };

/** A session's files, older first. Every reader and writer asks here. */
export function trafficFiles(paths: NancyPaths, session: SessionId): readonly [older: string, current: string] {
	refuseLinks([paths.root, paths.traffic]);
	return [join(paths.traffic, `${session}.1.jsonl`), paths.trafficFile(session)];
}

/**
 * Adds whole lines to a session's file, all or none: if a full disk took only a part, that part is removed. Only the holder of the
 * collector's lock writes, so the end of the file is its own.
 */
export async function appendLines(
	paths: NancyPaths,
	session: SessionId,
	lines: readonly string[],
	limits: TrafficLimits = DEFAULT_LIMITS,
): Promise<void> {
	const [older, current] = trafficFiles(paths, session);
	const text = `${lines.join('\n')}\n`;
	const size = await sizeOf(current);
	if (size > 0 && size + Buffer.byteLength(text) > limits.sessionBytes) await rename(current, older);
	// No link is followed: it could lead out of the workspace.
	const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
	const handle = await open(current, flags, 0o600);
	try {
		const found = await handle.stat();
		refuseHardLink(current, found);
		const before = found.size;
		// A collector that was killed while writing left half a line. The line ends here, and its record comes again whole.
		const isTorn = before > 0 && (await lastByte(handle, before)) !== 10;
		try {
			await handle.writeFile(isTorn ? `\n${text}` : text);
		} catch (error) {
			await handle.truncate(before);
			throw error;
		}
	} finally {
		await handle.close();
	}
}

/** The record ids, of these, that a session's files hold already. */
export async function storedIds(
	paths: NancyPaths,
	session: SessionId,
	wanted: ReadonlySet<string>,
): Promise<Set<string>> {
	const found = new Set<string>();
	for (const file of trafficFiles(paths, session)) {
		await readNewLines(file, undefined, {
			onRestart: () => undefined,
			onLine: line => {
				const value = parseLine(line);
				if (typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string') {
					if (wanted.has(value.id)) found.add(value.id);
				}
			},
		});
	}
	return found;
}

/** Removes the oldest traffic files until all together fit. Files that are not traffic are neither counted nor touched. */
export async function keepWithin(paths: NancyPaths, limits: TrafficLimits = DEFAULT_LIMITS): Promise<string[]> {
	const files = [];
	for (const entry of await readdir(paths.traffic, { withFileTypes: true })) {
		if (!entry.isFile() || !entry.name.endsWith('.jsonl')) continue;
		const file = join(paths.traffic, entry.name);
		const found = await lstat(file).catch(() => undefined);
		if (found) files.push({ file, size: found.size, mtimeMs: found.mtimeMs });
	}
	files.sort((a, b) => a.mtimeMs - b.mtimeMs);
	let total = files.reduce((sum, file) => sum + file.size, 0);
	const removed = [];
	// The newest stays whatever its size: somebody is looking at it.
	for (const { file, size } of files.slice(0, -1)) {
		if (total <= limits.totalBytes) break;
		await rm(file, { force: true });
		total -= size;
		removed.push(file);
	}
	return removed;
}

async function sizeOf(file: string): Promise<number> {
	try {
		return (await lstat(file)).size;
	} catch (error) {
		if (hasErrno(error, 'ENOENT')) return 0;
		throw error;
	}
}

async function lastByte(handle: Awaited<ReturnType<typeof open>>, size: number): Promise<number | undefined> {
	const buffer = Buffer.alloc(1);
	await handle.read(buffer, 0, 1, size - 1);
	return buffer[0];
}
