import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TEMPORARY } from '../../base/atomicFile.ts';
import { parseSpoolFileName } from './spoolName.ts';

export interface SpoolLimits {
	files: number;
	bytes: number;
}

/** How much may wait in the spool while nobody can collect. */
export const SPOOL_LIMITS: SpoolLimits = { files: 40_000, bytes: 1024 * 1024 * 1024 };

/** How much waits before a hook lets the command collect it, without an open window. */
export const SPOOL_BACKLOG = 1000;

/** The age of a killed writer's file; a living writer needs milliseconds. */
const LEFT_BEHIND_MS = 60 * 60 * 1000;

/**
 * Drops the oldest events of an overfull spool, down to three quarters, so that not every later event repeats it. A running collector loses
 * only the dropped ones: it claims each file by a rename, and skips missing ones. Files that are not Nancy's are neither counted nor
 * touched. Synchronous, for the hook program.
 */
export function boundSpool(spool: string, limits: SpoolLimits = SPOOL_LIMITS): { dropped: number; waiting: number } {
	const files: { file: string; size: number; mtimeMs: number }[] = [];
	for (const name of readdirSync(spool)) {
		const isEvent = parseSpoolFileName(name) !== undefined;
		if (!isEvent && !TEMPORARY.test(name)) continue;
		const file = join(spool, name);
		const found = lstatSync(file, { throwIfNoEntry: false });
		if (!found?.isFile()) continue;
		if (isEvent) files.push({ file, size: found.size, mtimeMs: found.mtimeMs });
		else if (Date.now() - found.mtimeMs > LEFT_BEHIND_MS) rmSync(file, { force: true });
	}
	let left = files.length;
	let bytes = files.reduce((sum, { size }) => sum + size, 0);
	if (left <= limits.files && bytes <= limits.bytes) return { dropped: 0, waiting: left };
	files.sort((a, b) => a.mtimeMs - b.mtimeMs);
	for (const { file, size } of files) {
		if (left <= limits.files * 0.75 && bytes <= limits.bytes * 0.75) break;
		rmSync(file, { force: true });
		left--;
		bytes -= size;
	}
	return { dropped: files.length - left, waiting: left };
}

/** Whether an event waits to be collected. */
export function hasWaiting(spool: string): boolean {
	return existsSync(spool) && readdirSync(spool).some(name => parseSpoolFileName(name) !== undefined);
}
