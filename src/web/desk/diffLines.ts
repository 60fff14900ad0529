/** A line of a unified diff, and its number in both files where the diff says so. */
export interface DiffLine {
	is: 'added' | 'removed' | 'same' | 'place';
	text: string;
	before: number | undefined;
	after: number | undefined;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const HEAD = /^(?:--- |\+\+\+ |diff |index |Index: |={10})/;

/** The lines of a diff. One without places (`@@`) has no numbers. */
export function diffLines(text: string): DiffLine[] {
	let before: number | undefined;
	let after: number | undefined;
	return text.split('\n').map(line => {
		const [, from, to] = HUNK.exec(line) ?? [];
		if (from !== undefined) {
			before = Number(from);
			after = Number(to);
			return { is: 'place', text: line, before: undefined, after: undefined };
		}
		// Before the first place, these begin the name of a file; behind it, a changed line may begin with the same signs.
		if (before === undefined && HEAD.test(line)) return { is: 'place', text: line, before, after };
		const is = line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
		const made: DiffLine = { is, text: line, before, after };
		if (before !== undefined && is !== 'added') before++;
		if (after !== undefined && is !== 'removed') after++;
		return made;
	});
}
