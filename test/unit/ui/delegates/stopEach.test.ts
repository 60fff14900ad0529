import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { stopEach } from '../../../../src/ui/delegates/stopEach.ts';

it('a delegate that does not answer keeps no other from being stopped and shown, and is told', async () => {
	const seen: string[] = [];
	const folder = (name: string) => ({ refresh: () => Promise.resolve(void seen.push(`shown ${name}`)) });
	const [a, b] = [folder('a'), folder('b')];
	const items = [
		{ folder: a, id: 'deaf' },
		{ folder: a, id: 'slow' },
		{ folder: b, id: 'quick' },
	];
	const stop = async ({ id }: { id: string }) => {
		if (id === 'deaf') throw new Error('does not answer');
		if (id === 'slow') await sleep(20);
		seen.push(id);
	};
	await expect(stopEach(items, stop)).rejects.toThrow('does not answer');
	expect(seen).toEqual(['quick', 'slow', 'shown a', 'shown b']);
	await stopEach(items.slice(1), stop);
});
