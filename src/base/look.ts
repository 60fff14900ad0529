import { lstatSync, type BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';

/** A look at a file of a quick disk takes a few microseconds. From here on a disk is slow, in milliseconds. */
const SLOW_MS = 0.2;
/** How long another thread asks after a slow look, in milliseconds. */
const SLOW_FOR_MS = 1000;

let slowUntilMs = -Infinity;

/**
 * What is at a path now, without following a link; `undefined` if there is nothing, or nobody can tell. For looks that are made all the
 * time: asking another thread takes seven times the processor time of the question. After a slow answer, as from a disk elsewhere,
 * another thread asks for a second. The path must not come from an agent, which could name a disk that never answers.
 */
export async function look(path: string): Promise<BigIntStats | undefined> {
	const beganMs = performance.now();
	if (beganMs < slowUntilMs) return lstat(path, { bigint: true }).catch(() => undefined);
	try {
		return lstatSync(path, { bigint: true, throwIfNoEntry: false });
	} catch {
		return undefined; // no permission on the way, a loop of links
	} finally {
		const endedMs = performance.now();
		if (endedMs - beganMs > SLOW_MS) slowUntilMs = endedMs + SLOW_FOR_MS;
	}
}

/** Differs once the file was replaced or written to; empty if there is none. */
export function stampOf(found: BigIntStats | undefined): string {
	return found ? `${found.ino}:${found.mtimeNs}:${found.size}` : '';
}
