import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Deafness } from '../../../src/conversations/deafness.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a line that was begun for a question that is over is no answer to the next one, however late it ends', () => {
	const deaf = new Deafness();
	deaf.begin();
	vi.advanceTimersByTime(400);
	deaf.typed();
	vi.advanceTimersByTime(5000);
	expect(deaf.drops(true)).toBe(true);
	expect(deaf.drops(true)).toBe(false);
});

it('a line that was begun then, and is no answer, is only dropped in the first second', () => {
	const deaf = new Deafness();
	deaf.begin();
	deaf.typed();
	expect(deaf.drops(false)).toBe(true);
	deaf.typed();
	vi.advanceTimersByTime(1001);
	expect(deaf.drops(false)).toBe(false);
});
