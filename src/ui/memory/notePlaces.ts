import { ProjectName } from '../../protocol/memoryNames.ts';

/** Lines of a file, counted from 1. */
export interface Place {
	readonly path: string;
	readonly from: number;
	readonly to: number;
}

/** `src/pool.ts:3-5`, as a note names its lines. */
export function placeIn(text: string | undefined): Place | undefined {
	const [, path, from, to] = /^(.+):(\d+)-(\d+)$/.exec(text ?? '') ?? [];
	return path === undefined ? undefined : { path, from: Number(from), to: Number(to) };
}

/** `pool.ts:3` */
export function shortPlace({ path, from }: Place): string {
	return `${path.slice(path.lastIndexOf('/') + 1)}:${from}`;
}

/** A name for a new project, from the name of its folder. Empty if that has no letter from a to z. */
export function projectNameFrom(folder: string, taken: readonly string[]): string {
	const words = folder
		.normalize('NFKD')
		.toLowerCase()
		.match(/[a-z0-9]+/g);
	const name = (words ?? []).join('-').slice(0, 40).replace(/-$/, '');
	if (!ProjectName.safeParse(name).success) return '';
	for (let count = 1; ; count++) {
		const free = count === 1 ? name : `${name}-${count}`;
		if (!taken.includes(free)) return free;
	}
}

/** How many lines two texts have in common at their beginning. */
export function commonLines(before: string, after: string): number {
	const [old, now] = [before.split('\n'), after.split('\n')];
	const at = now.findIndex((line, index) => line !== old[index]);
	return at < 0 ? now.length : at;
}

/** The text with one more line. @param at the lines before it */
export function withLine(text: string, at: number, line: string): string {
	return text.split('\n').toSpliced(at, 0, line.replace(/\s+/g, ' ')).join('\n');
}
