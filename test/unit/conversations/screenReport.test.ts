import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ScreenReport } from '../../../src/conversations/watched/screenReport.ts';
import type { ShownScreen, ShownState } from '../../../src/protocol/records.ts';

const START = 1_700_000_000_000;

describe('the report of a screen', () => {
	let state: ShownState | undefined;
	let told: Omit<ShownScreen, 'version'>[];
	let fails: boolean;
	let report: ScreenReport;
	beforeEach(() => {
		vi.useFakeTimers({ now: START });
		[state, told, fails] = [undefined, [], false];
		report = new ScreenReport({
			state: () => state,
			tell: shown => {
				if (fails) throw new Error('the disk is full');
				told.push(shown);
			},
		});
	});
	afterEach(() => void vi.useRealTimers());

	/** It shows this for so long, and draws all the time. */
	const shows = async (shown: ShownState | undefined, ms: number) => {
		state = shown;
		for (let drawn = 0; drawn < ms; drawn += 100) {
			report.changed();
			await vi.advanceTimersByTimeAsync(100);
		}
	};

	it('tells each state once, and since when it stands', async () => {
		await shows('working', 3000);
		await shows('asking', 3000);
		await shows('idle', 3000);
		expect(told.map(shown => shown.state)).toEqual(['working', 'asking', 'idle']);
		expect(told.map(({ at }) => Math.floor((Date.parse(at) - START) / 1000))).toEqual([0, 3, 6]);
	});

	it('tells a state after which nothing more is drawn', async () => {
		state = 'idle';
		report.changed();
		await vi.advanceTimersByTimeAsync(2000);
		expect(told).toMatchObject([{ state: 'idle' }]);
	});

	it('tells nothing of a moment, or of what the screen does not tell', async () => {
		await shows('working', 2000);
		await shows('idle', 500);
		await shows(undefined, 2000);
		expect(told).toHaveLength(1);
	});

	it('tells a state again after a moment of another one, and after a time of which the screen does not tell', async () => {
		await shows('idle', 2000);
		await shows(undefined, 500);
		await shows('idle', 2000);
		expect(told).toHaveLength(1);
		await shows('working', 500);
		await shows('idle', 2000);
		await shows(undefined, 2000);
		await shows('idle', 2000);
		expect(told.map(({ state: shown }) => shown)).toEqual(['idle', 'idle', 'idle']);
		expect(told.map(({ at }) => Math.floor((Date.parse(at) - START) / 1000))).toEqual([0, 5, 9]);
	});

	it('tells whether a turn has been shown, however short', async () => {
		await shows('trust', 2000);
		await shows('idle', 2000);
		await shows('working', 500);
		await shows('idle', 2000);
		const worked = told.map(({ workedAt }) => workedAt && Math.floor((Date.parse(workedAt) - START) / 1000));
		expect(worked).toEqual([undefined, undefined, 4]);
	});

	it('tells that a turn was broken off by a key right before its end, and by no other input', async () => {
		for (const [key, isBrokenOff] of [
			['\u001b', true],
			['\u0003', true],
			['\u001b[A', undefined],
			['words', undefined],
		] as const) {
			await shows('working', 5000);
			report.input(Buffer.from(key));
			await shows('idle', 2000);
			expect(told.at(-1)).toMatchObject({ state: 'idle' });
			expect(told.at(-1)?.isBrokenOff).toBe(isBrokenOff);
		}
	});

	it('tells again what could not be told', async () => {
		fails = true;
		await shows('working', 2000);
		fails = false;
		await vi.advanceTimersByTimeAsync(5000);
		expect(told).toMatchObject([{ state: 'working' }]);
	});

	it('tells nothing after its end', async () => {
		state = 'idle';
		report.changed();
		await vi.advanceTimersByTimeAsync(500);
		report.end();
		report.changed();
		await vi.advanceTimersByTimeAsync(5000);
		expect(told).toEqual([]);
	});
});
