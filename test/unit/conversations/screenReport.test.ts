import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ScreenReport } from '../../../src/conversations/watched/screenReport.ts';
import type { ShownScreen, ShownState } from '../../../src/protocol/records.ts';

const START = 1_700_000_000_000;

describe('the report of a screen', () => {
	let state: ShownState | undefined;
	let told: Pick<ShownScreen, 'at' | 'hasWorked' | 'state'>[];
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

	it('tells a state again after a moment of another one, and not after one of which the screen does not tell', async () => {
		await shows('idle', 2000);
		await shows(undefined, 2000);
		await shows('idle', 2000);
		expect(told).toHaveLength(1);
		await shows('working', 500);
		await shows('idle', 2000);
		expect(told).toMatchObject([{ state: 'idle' }, { state: 'idle' }]);
		expect(Math.floor((Date.parse(told[1]!.at) - START) / 1000)).toBe(6);
	});

	it('tells whether a turn has been shown, however short', async () => {
		await shows('trust', 2000);
		await shows('idle', 2000);
		await shows('working', 300);
		await shows('idle', 2000);
		expect(told.map(({ hasWorked }) => hasWorked)).toEqual([false, false, true]);
	});

	it('tells again what could not be told', async () => {
		fails = true;
		await shows('working', 2000);
		fails = false;
		await shows('working', 2000);
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
