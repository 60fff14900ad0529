import { expect, it } from 'vitest';
import { nextAfter } from '../../../../src/ui/needs/round.ts';

const all = ['1 waits', '2 stopped', '3 stopped', '4 wrote'].map(place => ({ place }));

it('goes round all that stay', () => {
	const visited = [];
	let last: string | undefined;
	for (let press = 0; press < 5; press++) visited.push((last = nextAfter(all, last)?.place));
	expect(visited).toEqual(['1 waits', '2 stopped', '3 stopped', '4 wrote', '1 waits']);
});

it('goes on behind one that needs nothing any more once it was looked at', () => {
	let left = all;
	let last: string | undefined;
	const visited = [];
	for (let press = 0; press < 5; press++) {
		visited.push((last = nextAfter(left, last)?.place));
		left = left.filter(({ place }) => place !== last || place === '1 waits');
	}
	expect(visited).toEqual(['1 waits', '2 stopped', '3 stopped', '4 wrote', '1 waits']);
});

it('finds nothing when there is nothing', () => {
	expect(nextAfter([], '1 waits')).toBeUndefined();
});
