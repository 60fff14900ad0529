import { fnvOf } from '../../base/fnv.ts';
import type { Anchor, Note } from '../../protocol/memory.ts';
import { LONGEST_ANCHOR } from '../../protocol/memoryNames.ts';

/**
 * Whether the lines that a note is about still stand. `moved`: elsewhere in their file. `elsewhere`: it was noted on another branch, and
 * none of its lines is here.
 */
export type Freshness = 'fresh' | 'moved' | 'changed' | 'gone' | 'elsewhere';

/** A file as anchors see it: a hash of each trimmed line. */
export type LineHashes = readonly number[];

export function lineHashes(text: string): LineHashes {
	return text.split('\n').map(line => fnvOf(line.trim()));
}

/** @param from first line, counted from 1 */
export function anchorAt(path: string, lines: LineHashes, from: number, to: number): Anchor | undefined {
	const last = Math.min(to, from + LONGEST_ANCHOR - 1, lines.length);
	if (from < 1 || last < from) return undefined;
	return { path, from, to: last, hash: hashOf(lines, from - 1, last - from + 1) };
}

/**
 * The freshness of a note.
 * @param linesOf the lines of a file now; `undefined` for one that is gone
 * @param branch that is checked out; `undefined` if nobody knows
 */
export function freshnessOf(
	note: Pick<Note, 'anchors' | 'branch'>,
	linesOf: (path: string) => LineHashes | undefined,
	branch: string | undefined,
): Freshness {
	const found = note.anchors.map(anchor => stateOf(anchor, linesOf(anchor.path)));
	const holds = found.some(state => state === 'fresh' || state === 'moved');
	if (!holds && note.branch !== undefined && branch !== undefined && note.branch !== branch) return 'elsewhere';
	if (found.length > 0 && found.every(state => state === 'gone')) return 'gone';
	return (['changed', 'gone', 'moved'] as const).find(state => found.includes(state)) ?? 'fresh';
}

function stateOf(anchor: Anchor, lines: LineHashes | undefined): Freshness {
	if (!lines) return 'gone';
	const place = placeOf(anchor, lines);
	if (place === undefined) return 'changed';
	return place === anchor.from ? 'fresh' : 'moved';
}

/** The first line, counted from 1, where the lines of an anchor stand now; nearest to where they stood. */
export function placeOf({ from, to, hash }: Anchor, lines: LineHashes): number | undefined {
	const count = to - from + 1;
	// A file that somebody brings may name any lines, and to look for many takes long.
	if (count < 1 || count > LONGEST_ANCHOR) return undefined;
	for (let distance = 0; distance < Math.max(from, lines.length); distance++) {
		for (const at of distance === 0 ? [from] : [from - distance, from + distance])
			if (at >= 1 && at + count - 1 <= lines.length && hashOf(lines, at - 1, count) === hash) return at;
	}
	return undefined;
}

function hashOf(lines: LineHashes, start: number, count: number): string {
	let hash = count;
	for (let at = start; at < start + count; at++)
		hash = Math.imul(hash ^ (lines[at] ?? 0), 0x01000193) ^ (hash >>> 13);
	return (hash >>> 0).toString(16).padStart(8, '0');
}
