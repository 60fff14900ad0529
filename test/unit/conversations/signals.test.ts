import { describe, expect, it } from 'vitest';
import { SeenScreen } from '../../../src/conversations/watched/seenScreen.ts';
import { readingOf, type Shown } from '../../../src/conversations/watched/shownState.ts';
import { screenStates as claude } from '../../../src/drivers/claude-code/screenStates.ts';
import { screenStates as copilot } from '../../../src/drivers/copilot-cli/screenStates.ts';

/** What is shown once these bytes have come. */
async function shownAfter(...output: string[]): Promise<Shown | undefined> {
	const seen = new SeenScreen(undefined, 80, 24);
	for (const each of output) await new Promise<void>(done => seen.write(Buffer.from(each), done));
	return seen.shown();
}

const osc = (text: string) => `\u001b]${text}\u0007`;
const status = (text: string) => osc(`7501;${text}`);

describe('what a CLI says beside its screen', () => {
	it.each([
		['a report', [status('state=working:app=a')], 'working'],
		['the last report', [status('state=working:app=a'), status('state=done:app=a')], 'done'],
		['no report', [], undefined],
		['a report that takes back all', [status('state=working:app=a'), status('state=clear')], undefined],
		['a question to the terminal', [status('state=idle:app=a'), status('?')], 'idle'],
		['a report of a part', [status('state=idle:app=a'), status('state=working:app=a:id=child')], 'idle'],
		['a report in two pieces', ['\u001b]7501;state=blo', 'cked:kind=permission\u001b\\'], 'blocked'],
	])('is its state by OSC 7501 (%s)', async (_, output, expected) => {
		expect((await shownAfter(...output))?.status).toBe(expected);
	});

	it.each([
		['none', [], undefined],
		['begun', [osc('9;4;3;0')], true],
		['over', [osc('9;4;3;0'), osc('9;4;0;0')], false],
		['a notification', [osc('9;4 files changed')], undefined],
	])('is whether a turn is open by OSC 9;4 (%s)', async (_, output, expected) => {
		expect((await shownAfter(...output))?.isTurnOpen).toBe(expected);
	});

	it('is its title', async () => {
		expect((await shownAfter(osc('0;first'), osc('2;◐ second')))?.title).toBe('◐ second');
	});

	it('is nothing while it draws', async () => {
		expect(await shownAfter('\u001b[?2026h', 'half')).toBe(undefined);
		expect(await shownAfter('\u001b[?2026h', 'half', '\u001b[?2026l')).toBeDefined();
	});
});

describe('a state', () => {
	const shown = (more: Partial<Shown>): Shown => ({
		lines: [],
		title: '',
		status: undefined,
		isTurnOpen: undefined,
		...more,
	});
	const WORKS = ['text', '─'.repeat(80), '❯', '─'.repeat(80), ' ◉ Working esc esc interrupt'];
	const IDLE = [...WORKS.slice(0, -1), ' / commands · ? help'];

	it.each([
		['its report counts before its title', { status: 'idle', title: '◐ Claude Code' }, 'idle'],
		['its title counts before the lines', { title: '◐ Claude Code', lines: IDLE }, 'working'],
		[
			'the lines decide what its title leaves open',
			{ title: '✳ Claude Code', lines: ['', '─'.repeat(80), '  x'] },
			'idle',
		],
		['a title that leaves something open tells nothing alone', { title: '✳ Claude Code' }, undefined],
		['a report that is not known says nothing', { status: 'constructor', title: '◐ Claude Code' }, 'working'],
	])('is that of the best evidence: %s', (_, more, state) => {
		expect(readingOf(shown(more), claude).state).toBe(state);
	});

	it.each([
		['no turn is open', { isTurnOpen: false, lines: WORKS }, 'idle'],
		['a turn is open, and the lines tell that it works', { isTurnOpen: true, lines: WORKS }, 'working'],
		['a turn is open, and the lines contradict', { isTurnOpen: true, lines: IDLE }, undefined],
		['nothing but the lines', { lines: IDLE }, 'idle'],
	])('goes by its progress before the lines: %s', (_, more, state) => {
		expect(readingOf(shown(more), copilot).state).toBe(state);
	});
});
