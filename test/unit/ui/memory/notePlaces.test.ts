import { describe, expect, it } from 'vitest';
import { commonLines, placeIn, projectNameFrom, shortPlace, withLine } from '../../../../src/ui/memory/notePlaces.ts';

describe('the lines of a note', () => {
	it.each([
		['src/pool.ts:3-5', { path: 'src/pool.ts', from: 3, to: 5 }, 'pool.ts:3'],
		['a:1-2/b.ts:10-10', { path: 'a:1-2/b.ts', from: 10, to: 10 }, 'b.ts:10'],
	])('%s is read and shown short', (text, place, short) => {
		expect(placeIn(text)).toEqual(place);
		expect(shortPlace(place)).toBe(short);
	});

	it.each([undefined, '', 'src/pool.ts', 'src/pool.ts:3', ':3-5'])('%s is none', text => {
		expect(placeIn(text)).toBeUndefined();
	});
});

describe('a name for a project', () => {
	it.each([
		['My Feature', [], 'my-feature'],
		['Größe_2.0', [], 'gro-e-2-0'],
		['nancy', ['nancy', 'nancy-2'], 'nancy-3'],
		['accept', [], ''],
		['日本', [], ''],
	])('from the folder %s is free', (folder, taken, name) => {
		expect(projectNameFrom(folder, taken)).toBe(name);
	});
});

describe('a line above the change of a text', () => {
	it.each([
		['', '- a\n', 'why\n', 'why\n- a\n'],
		['- a\n', '- a\n- b\n', '- a\nwhy\n', '- a\nwhy\n- b\n'],
		['- a\n- b\n', '- a\n', '- a\nwhy\n- b\n', '- a\nwhy\n'],
		['- a\n- b\n', '- a\n- c\n', '- a\nwhy\n- b\n', '- a\nwhy\n- c\n'],
		['- a', '- a', '- a\nwhy', '- a\nwhy'],
	])('of %j to %j is the same in both', (before, after, left, right) => {
		const at = commonLines(before, after);
		expect([before, after].map(text => withLine(text, at, 'why'))).toEqual([left, right]);
	});

	it('is one line, whatever it says', () => {
		expect(withLine('- a\n', 0, 'one\n- b\r\n two')).toBe('one - b two\n- a\n');
	});
});
