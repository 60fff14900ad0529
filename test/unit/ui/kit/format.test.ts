import { expect, it } from 'vitest';
import { formatMoment, formatTime } from '../../../../src/ui/kit/format.ts';

it('shows the time of today, the day of this year, and the year of another', () => {
	const now = Date.parse('2026-06-15T12:00:00.000Z');
	const year = /2026|2025/;
	expect(formatMoment('2026-06-15T12:00:00.000Z', now)).toMatch(/^\d\d\D\d\d$/);
	expect(formatMoment('2026-06-03T12:00:00.000Z', now)).toContain('3');
	expect(formatMoment('2026-06-03T12:00:00.000Z', now)).not.toMatch(year);
	expect(formatMoment('2025-06-03T12:00:00.000Z', now)).toContain('2025');
});

it('shows seconds, for each moment its own', () => {
	const [first, second] = ['2026-06-15T12:00:05.000Z', '2026-06-15T12:00:07.000Z'];
	expect([formatTime(first), formatTime(second), formatTime(first)].map(text => text.slice(-2))).toEqual([
		'05',
		'07',
		'05',
	]);
});
