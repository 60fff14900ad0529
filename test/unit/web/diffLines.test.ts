import { expect, it } from 'vitest';
import { diffLines } from '../../../src/web/desk/diffLines.ts';

it('numbers the lines of both files from the place that a diff names', () => {
	const diff = '--- a/x\n+++ b/x\n@@ -12,3 +20,3 @@ round\n same\n--- gone\n+++ new\n end';
	expect(diffLines(diff).map(({ is, before, after }) => [is, before, after])).toEqual([
		['place', undefined, undefined],
		['place', undefined, undefined],
		['place', undefined, undefined],
		['same', 12, 20],
		['removed', 13, 21],
		['added', 14, 21],
		['same', 14, 22],
	]);
});

it('has no numbers where a diff names no place, and every line as it is', () => {
	const lines = diffLines('-old\n+new\n');
	expect(lines.map(({ is }) => is)).toEqual(['removed', 'added', 'same']);
	expect(lines.every(({ before, after }) => before === undefined && after === undefined)).toBe(true);
	expect(lines.map(({ text }) => text).join('\n')).toBe('-old\n+new\n');
});
