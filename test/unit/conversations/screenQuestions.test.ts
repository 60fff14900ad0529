import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ScreenQuestions } from '../../../src/conversations/watched/screenQuestions.ts';
import type { ShownQuestion } from '../../../src/conversations/watched/shownQuestion.ts';
import type { Reading } from '../../../src/conversations/watched/shownState.ts';
import { drivers } from '../../../src/drivers/index.ts';
import { screenStates } from '../../../src/drivers/screenStates.ts';
import { eventually } from '../../support/eventually.ts';

const questionOf = (what: string): ShownQuestion => ({
	state: 'asking',
	asks: 'Allow execution of [Shell]?',
	tool: 'Shell',
	about: what,
	what,
	options: [
		{ label: 'Allow for this session', means: 'always', keys: '1' },
		{ label: 'Allow once', means: 'yes', keys: '2' },
		{ label: 'No, suggest changes (esc)', means: 'no', keys: '3' },
	],
});
const ASKS = (what: string): Reading => ({ state: 'asking', question: questionOf(what) });
const WORKS: Reading = { state: 'working', question: undefined };
const IDLE: Reading = { state: 'idle', question: undefined };
const UNKNOWN: Reading = { state: undefined, question: undefined };
/** Longer than anything here waits before it asks, or types. */
const LATER_MS = 2500;

interface Held {
	what: string;
	answer: (printed: string) => void;
	/** Without an answer. */
	ends: (isKilled: boolean) => void;
	ended: NodeJS.Signals[];
}

/** A screen, a keyboard and the guards of a desk. */
function room({ goesOnAfterNo = false } = {}) {
	let reading: Reading = WORKS;
	let isCurrent = true;
	const [typed, dropped, held]: [string[], boolean[], Held[]] = [[], [], []];
	const questions = new ScreenQuestions({
		goesOnAfterNo,
		isCurrent: () => isCurrent,
		reading: () => reading,
		type: text => void typed.push(text),
		hold: () => isDropped => void dropped.push(isDropped),
		ask: async ({ what }) => {
			let answer: (printed: string) => void = () => undefined;
			const printed = new Promise<string>(resolve => (answer = resolve));
			let kill: (isKilled: boolean) => void = () => undefined;
			const killed = new Promise<boolean>(resolve => (kill = resolve));
			const ends = (isKilled: boolean) => {
				answer('');
				kill(isKilled);
			};
			const asked: Held = { what, answer, ends, ended: [] };
			held.push(asked);
			return { printed, killed, woken: Promise.resolve(undefined), end: signal => void asked.ended.push(signal) };
		},
	});
	const shows = (next: Reading) => {
		reading = next;
		questions.changed();
	};
	const asked = (count: number) =>
		eventually(`${count} questions at the desk`, () => (held.length >= count ? held[count - 1] : undefined));
	const draws = (isDrawing: boolean) => void (isCurrent = !isDrawing);
	return { questions, typed, dropped, held, shows, asked, draws };
}

const NO = JSON.stringify({ kind: 'reject_once' });

describe.concurrent('a question on a screen', () => {
	it('is answered with a No by the key of that option', async () => {
		const { typed, dropped, held, shows, asked } = room();
		shows(ASKS('touch a'));
		const first = await asked(1);
		first.answer(NO);
		await eventually('a key', () => typed.length > 0);
		shows(WORKS);
		await eventually('what the user has typed meanwhile is dropped', () => dropped.length > 0);
		expect({ typed, dropped, asked: held.map(({ what }) => what) }).toEqual({
			typed: ['3'],
			dropped: [true],
			asked: ['touch a'],
		});
	});

	it('gets no key once another stands in its place', async () => {
		const { typed, held, shows, asked } = room();
		shows(ASKS('touch a'));
		const first = await asked(1);
		shows(ASKS('rm -r all'));
		first.answer(NO);
		const second = await asked(2);
		await sleep(LATER_MS);
		expect(typed).toEqual([]);
		// Nobody knows what has become of the first one.
		expect(first.ended).toEqual(['SIGHUP']);
		expect(second).toMatchObject({ what: 'rm -r all', ended: [] });
		expect(held.length).toBe(2);
	});

	it('gets its key once half a picture, in which the answer came, is whole again', async () => {
		const { typed, held, shows, asked } = room();
		shows(ASKS('touch a'));
		const first = await asked(1);
		shows(UNKNOWN);
		first.answer(NO);
		await sleep(200);
		expect(typed).toEqual([]);
		shows(ASKS('touch a'));
		await eventually('a key', () => typed.length > 0);
		shows(WORKS);
		expect({ typed, held: held.length }).toEqual({ typed: ['3'], held: 1 });
	});

	it('gets its key once all that its CLI has drawn is on the screen', async () => {
		const { typed, shows, asked, draws } = room();
		shows(ASKS('touch a'));
		const first = await asked(1);
		draws(true);
		first.answer(NO);
		await sleep(300);
		expect(typed).toEqual([]);
		draws(false);
		await eventually('a key', () => typed.length > 0);
	});

	it('gets no key while the user types, and none if that has answered it', async () => {
		const { questions, typed, shows, asked } = room();
		shows(ASKS('touch a'));
		const first = await asked(1);
		questions.input();
		first.answer(NO);
		await sleep(300);
		expect(typed).toEqual([]);
		shows(IDLE);
		await sleep(LATER_MS);
		expect(typed).toEqual([]);
		expect(first.ended).toEqual(['SIGTERM']);
	});

	it('is not at the desk before it has stood for a moment, and half a picture does not end it', async () => {
		const { held, shows, asked } = room();
		shows(ASKS('touch a'));
		shows(WORKS);
		await sleep(LATER_MS);
		expect(held).toEqual([]);
		shows(ASKS('touch b'));
		const first = await asked(1);
		shows(UNKNOWN);
		shows(ASKS('touch b'));
		await sleep(LATER_MS);
		expect(held.length).toBe(1);
		expect(first.ended).toEqual([]);
	});

	it('is asked anew where the same request comes again', async () => {
		const { held, shows, asked } = room();
		shows(ASKS('touch a'));
		const first = await asked(1);
		shows(WORKS);
		shows(ASKS('touch a'));
		await asked(2);
		expect(first.ended).toEqual(['SIGUSR2']);
		expect(held.map(({ ended }) => ended)).toEqual([['SIGUSR2'], []]);
	});

	it.each([
		['no', IDLE, 'SIGTERM'],
		['an end that nobody knows', UNKNOWN, 'SIGHUP'],
	])('that is gone is over at the desk (%s)', async (_, after, signal) => {
		const { shows, asked } = room();
		shows(ASKS('touch a'));
		const first = await asked(1);
		shows(after);
		await eventually('its holder has ended', () => first.ended.length > 0);
		expect(first.ended).toEqual([signal]);
	});

	it('is asked once more if its CLI has not taken the key', async () => {
		const { typed, shows, asked } = room();
		shows(ASKS('touch a'));
		(await asked(1)).answer(NO);
		const again = await asked(2);
		expect(typed).toEqual(['3']);
		again.answer(NO);
		await eventually('the other key', () => typed.length > 1);
		expect(typed).toEqual(['3', '3']);
		shows(IDLE);
	});

	it('is asked once more if its holder is killed, and its answer is typed', async () => {
		const { typed, shows, asked } = room();
		shows(ASKS('touch a'));
		(await asked(1)).ends(true);
		(await asked(2)).answer(NO);
		await eventually('a key', () => typed.length > 0);
		expect(typed).toEqual(['3']);
		shows(WORKS);
	});

	it.each([
		['ends by itself', (first: Held) => first.ends(false)],
		[
			'is ended because the question is gone',
			(first: Held, shows: (next: Reading) => void) => {
				shows(IDLE);
				first.ends(true);
			},
		],
	])('is not asked again if its holder %s', async (_, act) => {
		const { held, shows, asked } = room();
		shows(ASKS('touch a'));
		act(await asked(1), shows);
		await sleep(LATER_MS);
		expect(held.length).toBe(1);
	});

	it('ends with its CLI', async () => {
		const { questions, shows, asked } = room();
		shows(ASKS('touch a'));
		const first = await asked(1);
		questions.end();
		expect(first.ended).toEqual(['SIGHUP']);
	});
});

describe('the drivers', () => {
	it('say of the same CLIs that their screens tell what they do', () => {
		const shown = drivers.filter(({ showsState }) => showsState).map(({ id }) => String(id));
		expect(shown.sort()).toEqual(Object.keys(screenStates).sort());
	});
});
