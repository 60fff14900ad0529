import { describe, expect, it } from 'vitest';
import {
	formatCents,
	formatCount,
	formatDateTime,
	formatDollars,
	formatMoment,
	formatRough,
	formatTime,
	formatWindow,
	shortName,
} from '../../../../src/ui/kit/format.ts';

it('shows the time of today, the day of this year, and the year of another', () => {
	const now = Date.parse('2026-06-15T12:00:00.000Z');
	const year = /2026|2025/;
	expect(formatMoment('2026-06-15T12:00:00.000Z', now)).toMatch(/^\d\d\D\d\d$/);
	expect(formatMoment('2026-06-03T12:00:00.000Z', now)).toContain('3');
	expect(formatMoment('2026-06-03T12:00:00.000Z', now)).not.toMatch(year);
	expect(formatMoment('2025-06-03T12:00:00.000Z', now)).toContain('2025');
});

it('shows date and time with the same clock as times alone', () => {
	const moment = '2026-06-15T16:00:05.000Z';
	expect(formatDateTime(moment)).toContain('2026');
	expect(formatDateTime(moment)).toContain(formatTime(moment));
});

it('shows seconds, for each moment its own', () => {
	const [first, second] = ['2026-06-15T12:00:05.000Z', '2026-06-15T12:00:07.000Z'];
	expect([formatTime(first), formatTime(second), formatTime(first)].map(text => text.slice(-2))).toEqual([
		'05',
		'07',
		'05',
	]);
});

describe('formatCount', () => {
	it.each([
		[950, '950'],
		[1000, '1k'],
		[12_345, '12.3k'],
		[200_000, '200k'],
		[999_949, '999.9k'],
		[999_950, '1M'],
		[1_250_000, '1.3M'],
	])('of %d is %s', (count, text) => expect(formatCount(count)).toBe(text));
});

describe('formatRough', () => {
	it.each([
		[0, ''],
		[999, ''],
		[1000, '1k'],
		[9499, '9k'],
		[45_123, '45k'],
		[123_456, '120k'],
		[994_999, '990k'],
		[999_999, '1M'],
		[1_250_000, '1.3M'],
		[45_000_000, '45M'],
	])('of %d is %s', (count, text) => expect(formatRough(count)).toBe(text));
});

describe('formatCents', () => {
	it.each([
		[0, ''],
		[0.004, ''],
		[0.006, '$0.01'],
		[0.312, '$0.31'],
		[0.999, '$1.00'],
		[1.23, '$1.20'],
		[14.4, '$14'],
		[123, '$120'],
	])('of %d is %s', (dollars, text) => expect(formatCents(dollars)).toBe(text));
});

it('tells less than a cent from nothing', () => {
	expect([0, 0.002, 0.314].map(formatDollars)).toEqual(['$0.00', '< $0.01', '$0.31']);
});

it('tells how long a limit is for', () => {
	expect([30, 300, 10_080].map(formatWindow)).toEqual(['30 min', '5 h', '7 d']);
});

it('shortens the title of a name, and never the worker in it', () => {
	expect(shortName('Fix the rounding of the timer', 10)).toBe('Fix the r…');
	expect(shortName('Fix the rounding of the timer · worker-2', 10)).toBe('Fix the r… · worker-2');
});
