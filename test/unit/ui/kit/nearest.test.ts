import { expect, it } from 'vitest';
import { nearest } from '../../../../src/ui/kit/nearest.ts';

it.each([
	['abcd', 'b', 'acd', 'c'],
	['abcd', 'b', 'ad', 'd'],
	['abcd', 'd', 'abc', 'c'],
	['abcd', 'a', 'd', 'd'],
	['abcd', 'c', 'a', 'a'],
	['a', 'a', '', undefined],
	['ab', 'x', 'ab', 'a'],
])('of %s without %s, where %s are left, it is %s', (before, gone, left, found) => {
	expect(nearest(Array.from(before), gone, each => left.includes(each))).toBe(found);
});
