import { expect, it } from 'vitest';
import { NewestMap } from '../../../src/base/newestMap.ts';

it('forgets what was set longest ago, and never more than it must', () => {
	const map = new NewestMap<string, number>(2);
	map.set('a', 1);
	map.set('b', 2);
	expect(map.values()).toEqual([1, 2]);
	map.set('a', 3);
	map.set('c', 4);
	expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4]);
	map.delete('a');
	map.set('d', 5);
	expect(map.values()).toEqual([4, 5]);
});
