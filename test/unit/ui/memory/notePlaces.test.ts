import { describe, expect, it } from 'vitest';
import { firstChange, placeIn, projectNameFrom, shortPlace } from '../../../../src/ui/memory/notePlaces.ts';

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

describe('the first line that differs', () => {
	it.each([
		['', '- a\n', 1],
		['- a\n', '- a\n- b\n', 2],
		['- a\n- b\n', '- a\n', 2],
		['- a\n', '- a\n', 2],
		['- a', '- a', 1],
	])('of %j and %j is in the new text', (before, after, line) => {
		expect(firstChange(before, after)).toBe(line);
	});
});
