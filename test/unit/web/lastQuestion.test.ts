import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LastQuestion } from '../../../src/web/compose/lastQuestion.ts';

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	vi.useRealTimers();
});

function begin() {
	const asked: string[] = [];
	return { asked, search: new LastQuestion(question => asked.push(question)) };
}

it('asks the last question, once the user pauses', () => {
	const { asked, search } = begin();
	for (const question of ['b', 'br', 'bre']) {
		search.put(question);
		vi.advanceTimersByTime(149);
	}
	expect(asked).toEqual([]);
	vi.advanceTimersByTime(1);
	expect(asked).toEqual(['bre']);
});

it('takes no answer to an earlier question, nor one that nobody waits for', () => {
	const { asked, search } = begin();
	search.put('b');
	vi.advanceTimersByTime(150);
	search.put('br');
	expect(['b', 'br'].filter(each => search.isLast(each))).toEqual(['br']);
	search.drop();
	vi.advanceTimersByTime(1000);
	expect(asked).toEqual(['b']);
	expect(search.isLast('br')).toBe(false);
});
