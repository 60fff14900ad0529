/** A line of two texts. */
export interface DiffLine {
	readonly is: 'same' | 'removed' | 'added';
	readonly text: string;
}

/** How far apart lines may be that are the same. Beyond, all of the rest counts as changed. */
const FARTHEST = 2000;

/** Every line of two texts, in order. At a difference, both go on where they are the same again after the fewest lines. */
export function lineDiff(before: string, after: string): DiffLine[] {
	const [old, now] = [linesOf(before), linesOf(after)];
	const found: DiffLine[] = [];
	let [at, to] = [0, 0];
	while (at < old.length || to < now.length) {
		const [removed, added] = distance(old.slice(at), now.slice(to));
		for (const text of old.slice(at, at + removed)) found.push({ is: 'removed', text });
		for (const text of now.slice(to, to + added)) found.push({ is: 'added', text });
		at += removed;
		to += added;
		for (; at < old.length && old[at] === now[to]; at++, to++) found.push({ is: 'same', text: old[at] ?? '' });
	}
	return found;
}

/** In place of lines that are not shown. All others have a sign in front. */
export const GAP = '…';

/** The changed lines with so many around them, behind `-`, `+` or a blank. Each gap is one line: {@link GAP}. */
export function changedLines(lines: readonly DiffLine[], around: number): string[] {
	const isNear = (at: number) =>
		lines.slice(Math.max(0, at - around), at + around + 1).some(({ is }) => is !== 'same');
	const shown: string[] = [];
	for (const [at, { is, text }] of lines.entries()) {
		const sign = is === 'same' ? ' ' : is === 'added' ? '+' : '-';
		if (isNear(at)) shown.push(`${sign} ${text}`);
		else if (shown.at(-1) !== GAP) shown.push(GAP);
	}
	return shown;
}

/** How many lines of each are gone by until both are the same, or at their ends. */
function distance(old: readonly string[], now: readonly string[]): [removed: number, added: number] {
	for (let sum = 0; sum <= Math.min(old.length + now.length, FARTHEST); sum++) {
		for (let removed = Math.max(0, sum - now.length); removed <= Math.min(sum, old.length); removed++) {
			const [one, other] = [old[removed], now[sum - removed]];
			const isEnd = removed === old.length && sum - removed === now.length;
			if (isEnd || (one !== undefined && one === other)) return [removed, sum - removed];
		}
	}
	return [old.length, now.length];
}

/** An end of the last line is no line more. */
function linesOf(text: string): string[] {
	return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
