import { describe, expect, it } from 'vitest';
import { changedLines, lineDiff } from '../../../src/base/lineDiff.ts';

const shown = (before: string, after: string, around = 1) => changedLines(lineDiff(before, after), around);

describe('the difference of two texts', () => {
	it('names added, removed and replaced lines, with those around them', () => {
		expect(shown('a\nb\nc\nd\ne\n', 'a\nb\nC\nd\ne\nf\n')).toEqual(['…', '  b', '- c', '+ C', '  d', '  e', '+ f']);
		expect(shown('a\nb\nc\n', 'a\nc\n')).toEqual(['  a', '- b', '  c']);
	});

	it('is all of a new text, and nothing of the same one', () => {
		expect(shown('', 'a\nb\n')).toEqual(['+ a', '+ b']);
		expect(shown('a\n', '')).toEqual(['- a']);
		expect(shown('a\nb\n', 'a\nb\n')).toEqual(['…']);
		expect(shown('', '')).toEqual([]);
	});

	it('loses no line of texts that have nothing in common', () => {
		const many = (word: string) => Array.from({ length: 1500 }, (_, at) => `${word} ${at}\n`).join('');
		const lines = lineDiff(many('old'), many('new'));
		expect(lines.filter(({ is }) => is === 'removed')).toHaveLength(1500);
		expect(lines.filter(({ is }) => is === 'added')).toHaveLength(1500);
	});
});
