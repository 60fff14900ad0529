import { describe, expect, it } from 'vitest';
import { runsOf, widthOf } from '../../../src/picture/cells.ts';
import { linesOfCode } from '../../../src/picture/code.ts';
import type { Line } from '../../../src/picture/line.ts';
import { svgOf } from '../../../src/picture/svg.ts';
import { linesOfTerminal } from '../../../src/picture/terminal.ts';
import { contrast, themes, type ThemeName } from '../../../src/picture/themes.ts';

const textOf = (lines: readonly Line[]) => lines.map(line => line.map(({ text }) => text).join(''));
const draw = (lines: readonly Line[], more: { theme?: ThemeName; title?: string; firstNumber?: number } = {}) =>
	svgOf(lines, { theme: 'dark', title: 'a.ts', ...more });
/** Where a text stands, in cells from the first one of its line. */
const columnOf = (svg: string, text: string) => {
	const left = (of: string) => Number(new RegExp(`<text x="([\\d.]+)"[^>]*>${of}<`, 'u').exec(svg)?.[1]);
	return Math.round((left(text) - left('0')) / 8.4);
};

describe('a picture of text', () => {
	it('keeps columns in line behind Chinese, Japanese, emoji and tabs, whatever the font', () => {
		const svg = draw([
			[{ text: '0' }],
			[{ text: '日本' }, { text: 'A' }],
			[{ text: '👩‍💻✅' }, { text: 'B' }],
			[{ text: '\t' }, { text: 'C' }],
			[{ text: 'é ❤️' }, { text: 'D' }],
		]);

		expect(['A', 'B', 'C', 'D'].map(text => columnOf(svg, text))).toEqual([4, 4, 4, 4]);
		expect(runsOf('ab日c')).toEqual([
			{ text: 'ab', cells: 2 },
			{ text: '日', cells: 2 },
			{ text: 'c', cells: 1 },
		]);
		expect(widthOf('e\u0301')).toBe(1);
	});

	it('draws every space inside a text, and none around it', () => {
		const svg = draw([[{ text: '0' }], [{ text: '  a   b  ' }]]);

		expect(svg).toContain('>a\u00a0\u00a0\u00a0b<');
		expect(columnOf(svg, 'a\u00a0\u00a0\u00a0b')).toBe(2);
	});

	it('is text alone: no tag, entity or hidden character of it counts', () => {
		const svg = draw([[{ text: '<script>alert(1)</script> &lt; "x" \u202egnp\u200b \u001b[2J' }]], {
			title: '"><script>',
		});

		expect(svg).not.toContain('<script');
		expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
		expect(svg).toContain('&amp;lt;');
		expect(svg).toContain('⟨U+202E⟩gnp⟨U+200B⟩');
		expect(svg).toContain('\\x1b[2J');
	});

	it('numbers its lines from the first one on', () => {
		const svg = draw([[{ text: 'a' }], [{ text: 'b' }]], { firstNumber: 99 });

		expect(svg).toMatch(/>99<[\s\S]*>a<[\s\S]*>100<[\s\S]*>b</);
		expect(draw([[{ text: 'a' }]])).not.toContain('>1<');
	});

	it('shortens a long title at its beginning, which says less', () => {
		expect(draw([], { title: `${'folder/'.repeat(30)}file.ts` })).toMatch(/>…[^<]*folder\/file\.ts</);
	});

	it.each(['dark', 'light'] as const)('can be read in the %s theme', name => {
		const { page, text, quiet, scopes, terminal } = themes[name];
		const black = name === 'dark' ? [] : [terminal[0]];
		const weak = [text, quiet, ...Object.values(scopes), ...terminal, ...black].filter(
			color => color !== undefined && contrast(page, color) < 4.5,
		);

		expect(weak).toEqual([]);
	});
});

describe('code', () => {
	it('is coloured by its language, also over several lines, and loses nothing', () => {
		const code = 'const a = 1;\r\n/* two\nlines */\n\nlet s = `x${a}y`;\n';
		const lines = linesOfCode(code, 'ts');

		expect(textOf(lines)).toEqual(code.replaceAll('\r\n', '\n').split('\n'));
		expect(lines[0]?.[0]).toEqual({ text: 'const', scope: 'keyword' });
		expect([lines[1], lines[2]]).toEqual([
			[{ text: '/* two', scope: 'comment' }],
			[{ text: 'lines */', scope: 'comment' }],
		]);
		expect(draw(lines)).toContain(`fill="${themes.dark.scopes.keyword}">const<`);
	});

	it('of one language in another is coloured by both', () => {
		const [line] = linesOfCode('<script>let a = 1;</script>', 'html');

		expect(line).toContainEqual({ text: 'let', scope: 'keyword' });
		expect(textOf([line ?? []])).toEqual(['<script>let a = 1;</script>']);
	});

	it('of a language that is not known is text', () => {
		expect(linesOfCode('const a\nb', 'nosuch')).toEqual([[{ text: 'const a' }], [{ text: 'b' }]]);
	});
});

describe('the output of a program', () => {
	it('has the colours and places that a terminal gives it', async () => {
		const output =
			'\x1b[1;32mok\x1b[0m \x1b[38;2;255;128;0mo\x1b[0m \x1b[7mi\x1b[0m\r\n日本 \x1b[44mb\x1b[0m\n50 %\r100 %\n\n';
		const lines = await linesOfTerminal(output, 80);

		expect(textOf(lines)).toEqual(['ok o i', '日本 b', '100 %']);
		expect(lines[0]).toMatchObject([
			{ text: 'ok', color: 2, isBold: true },
			{ text: ' ' },
			{ text: 'o', color: '#ff8000' },
			{ text: ' ' },
			{ text: 'i', color: 'page', background: 'text' },
		]);
		expect(lines[1]).toMatchObject([{ text: '日本 ' }, { text: 'b', background: 4 }]);
	});

	it('is readable on every background that a program chooses', async () => {
		const svg = draw(await linesOfTerminal('\x1b[30;40mblack\x1b[0m \x1b[37;47mwhite\x1b[0m', 80), {
			theme: 'light',
		});

		expect(svg).toMatch(/fill="#ffffff">black</);
		expect(svg).toMatch(/fill="#(?:ffffff|000000)">white</);
	});

	it('breaks lines at the width of the terminal', async () => {
		expect(textOf(await linesOfTerminal('abcdef', 4))).toEqual(['abcd', 'ef']);
	});
});
