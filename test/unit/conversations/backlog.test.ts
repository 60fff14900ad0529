import { setImmediate as turn } from 'node:timers/promises';
import headless from '@xterm/headless';
import { expect, it } from 'vitest';
import { SeenScreen } from '../../../src/conversations/watched/seenScreen.ts';

const [COLUMNS, ROWS] = [60, 20];
const screen = () => new SeenScreen(undefined, COLUMNS, ROWS);
const isShown = (seen: SeenScreen) => new Promise<void>(done => seen.write(Buffer.of(), done));

/** As many bytes of a pseudo-terminal as come at once. */
const PIECE = 4095;

/** Lines, and every tenth of them a picture at some place: it scrolls a part, inserts, colours, and writes characters of two columns. */
const flood = (lines: number) =>
	Buffer.from(
		Array.from({ length: lines }, (_, n) =>
			n % 10 === 9
				? `\u001b[${(n % 7) + 3};${(n % 5) + 14}r\u001b[${(n % 11) + 2};5H\u001b[3${n % 8}m漢字 ${n}\u001b[2L\u001b[0m\u001b[${n % 3}S`
				: `line ${n} ${'x'.repeat(n % 90)}\r\n`,
		).join(''),
	);

const piecesOf = (bytes: Uint8Array) =>
	Array.from({ length: Math.ceil(bytes.length / PIECE) }, (_, n) => bytes.subarray(n * PIECE, (n + 1) * PIECE));

it('shows after a flood what a terminal shows that has had every byte, and a resize between the same two', async () => {
	const [before, after] = [flood(20_000), flood(7_003)];
	const seen = screen();
	for (const piece of piecesOf(before)) seen.write(piece, () => undefined);
	seen.resize(47, 13);
	for (const piece of piecesOf(after)) seen.write(piece, () => undefined);
	await isShown(seen);

	const whole = new headless.Terminal({ cols: COLUMNS, rows: ROWS, scrollback: 0, allowProposedApi: true });
	await new Promise<void>(done => whole.write(before, done));
	whole.resize(47, 13);
	await new Promise<void>(done => whole.write(after, done));
	const { active } = whole.buffer;
	const lines = Array.from({ length: 13 }, (_, row) => active.getLine(active.baseY + row)?.translateToString(true));
	expect(lines.join('')).toContain('漢字');
	expect(seen.shown()?.lines).toEqual(lines);
});

it('is no screen to read while most of a flood is not on it', async () => {
	const seen = screen();
	const states: boolean[] = [];
	const look = () => states.push(seen.shown() !== undefined);
	for (const piece of piecesOf(flood(20_000))) seen.write(piece, look);
	look();
	await isShown(seen);
	expect(states[0]).toBe(false);
	expect(states.at(-1)).toBe(true);
	// Not now and then in between.
	expect(states.slice(states.indexOf(true))).not.toContain(false);
});

it('also shows what a program has written that never pauses', async () => {
	const seen = screen();
	let isSeen = false;
	seen.write(Buffer.from('begun\r\n'), () => undefined);
	await isShown(seen);
	seen.write(Buffer.from('first\r\n'), () => (isSeen = true));
	while (!isSeen) {
		seen.write(Buffer.from('\r.'), () => undefined);
		await turn();
	}
	expect(seen.shown()?.lines.slice(0, 2)).toEqual(['begun', 'first']);
});
