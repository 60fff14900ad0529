import { describe, expect, it } from 'vitest';
import {
	LineSplitter,
	plainLines,
	printedLines,
	TerminalLines,
	type Piece,
} from '../../../../src/ui/kit/terminalText.ts';

const ESC = '\u001b';

describe('text for a terminal', () => {
	it.each([
		['colours', `${ESC}[1;31mred${ESC}[0m`, 'red'],
		['moves of the cursor', `a${ESC}[2J${ESC}[10;10Hb`, 'ab'],
		['a title', `${ESC}]0;owned\u0007text`, 'text'],
		['a link', `${ESC}]8;;https://x.example${ESC}\\text${ESC}]8;;${ESC}\\`, 'text'],
		['what goes to the clipboard', `${ESC}]52;c;cm0gLXJmIC8=${ESC}\\text`, 'text'],
		['a title that never ends', `text${ESC}]0;owned`, 'text'],
		['a device control string', `${ESC}Pq#0${ESC}\\text`, 'text'],
		['a reset', `${ESC}ctext`, 'text'],
		['sequences of one byte', '\u009b31mtext', 'text'],
		['bells, backspaces and returns', 'se\u0007cr\bet\rs', 'secrets'],
		['what is left of a sequence', `text${ESC}`, 'text'],
	])('has no %s', (_, text, plain) => {
		expect(plainLines(text)).toEqual([plain]);
	});

	it('keeps lines, tabs and every language', () => {
		expect(plainLines('ä\tb\r\n日本語 🎉\n')).toEqual(['ä\tb', '日本語 🎉', '']);
	});

	it('of a program that failed is its lines, without those it wrote over', () => {
		const text = `${ESC}]633;C\u0007Loading\rbad option\r\n\r\n  ${ESC}[31mtry --help${ESC}[0m  \r\n`;
		expect(printedLines(text)).toEqual(['bad option', '  try --help']);
	});

	it('comes in whole lines, however it is cut', () => {
		const lines = new LineSplitter();
		expect([...lines.take('one\ntw'), ...lines.take('o\n'), ...lines.take('three'), ...lines.rest()]).toEqual([
			'one',
			'two',
			'three',
		]);
		expect(lines.rest()).toEqual([]);
	});

	it('has only Nancy’s own colours, each around one plain line', () => {
		expect(printed(['red', ''])).toBe('\r\n');
		expect(printed(['red', 'no'], ' and ', ['bold', 'so'])).toBe(
			`${ESC}[31mno${ESC}[0m and ${ESC}[1mso${ESC}[0m\r\n`,
		);
		expect(printed(`a${ESC}]0;owned\u0007b`, ['dim', `c${ESC}[2Jd\ne`])).toBe(`ab${ESC}[2mcd e${ESC}[0m\r\n`);
	});

	it('shows what turns or hides the text around it', () => {
		expect(plainLines('safe\u202etxt.exe\u200b')).toEqual(['safe⟨U+202E⟩txt.exe⟨U+200B⟩']);
	});
});

function printed(...pieces: readonly Piece[]): string {
	const lines = new TerminalLines();
	const written: string[] = [];
	lines.onDidWrite(text => written.push(text));
	lines.print(...pieces);
	return written.join('');
}
