import { visible } from '../base/visible.ts';
import { runsOf, widthOf } from './cells.ts';
import type { Color, Line, Span } from './line.ts';
import { colorOfScope, colorOfTerminal, readableOn, themes, type Theme, type ThemeName } from './themes.ts';

export interface PictureOptions {
	readonly theme: ThemeName;
	/** Stands in the title bar of the window around the lines. */
	readonly title: string;
	/** The number of the first line; `undefined` draws no numbers. */
	readonly firstNumber?: number | undefined;
}

/** In pixels. A cell is as wide as a character of the fonts below at this size: 0.6 of it. */
const FONT_SIZE = 14;
const CELL = 8.4;
const LINE = 20;
const BAR = 38;
const PADDING = 20;
/** From the top of a line to the feet of its letters. */
const FEET = 14.5;
const FEWEST_CELLS = 40;
const MOST_TITLE_CELLS = 60;
const TAB = 4;
/** Neighbouring blanks of the usual kind are drawn as one. */
const HARD_BLANK = '\u00a0';
const FONTS =
	"'Cascadia Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK JP','Noto Sans Mono CJK SC'," +
	"monospace,'Apple Color Emoji','Segoe UI Emoji','Noto Color Emoji'";

/**
 * Draws lines as one SVG picture that needs no script, no style sheet and nothing from elsewhere. Each run of characters has its own place
 * and width, so that columns stay in line whichever of the fonts the reader has. Characters that nobody sees are drawn as their codes.
 */
export function svgOf(lines: readonly Line[], { theme: name, title, firstNumber }: PictureOptions): string {
	const theme = themes[name];
	const drawn = lines.map(line => withoutTabs(line.map(span => ({ ...span, text: visible(span.text) }))));
	const digits = firstNumber === undefined ? 0 : String(firstNumber + drawn.length - 1).length;
	const gutter = digits === 0 ? 0 : (digits + 2) * CELL;
	const shownTitle = shortened(visible(title).replaceAll(/\s+/g, ' '));
	const widest = Math.max(FEWEST_CELLS, widthOf(shownTitle) + 16, ...drawn.map(line => cellsOfLine(line)));
	const width = Math.ceil(PADDING * 2 + gutter + widest * CELL);
	const height = BAR + PADDING + drawn.length * LINE;
	const body = drawn.flatMap((line, at) => {
		const top = BAR + at * LINE + PADDING / 2;
		const number =
			firstNumber === undefined
				? []
				: drawLine([{ text: String(firstNumber + at).padStart(digits), color: 'quiet' }], theme, PADDING, top);
		return [...number, ...drawLine(line, theme, PADDING + gutter, top)];
	});
	const titleCells = widthOf(shownTitle);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" ` +
			`aria-label="${escaped(shownTitle)}" font-family="${FONTS}" font-size="${FONT_SIZE}" fill="${theme.text}">`,
		`<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="9.5" fill="${theme.page}" stroke="${theme.edge}"/>`,
		...['#ff5f57', '#febc2e', '#28c840'].map(
			(color, at) => `<circle cx="${PADDING + 2 + at * 20}" cy="${BAR / 2}" r="6" fill="${color}"/>`,
		),
		...drawLine(
			[{ text: shownTitle, color: 'quiet' }],
			theme,
			Math.max(PADDING + 66, (width - titleCells * CELL) / 2),
			(BAR - LINE) / 2,
		),
		...body,
		'</svg>\n',
	].join('\n');
}

function drawLine(line: Line, theme: Theme, left: number, top: number): string[] {
	const drawn: string[] = [];
	let cell = 0;
	for (const span of line) {
		const looks = looksOf(span, theme);
		const begin = cell;
		const texts: string[] = [];
		for (const { text, cells } of runsOf(span.text)) {
			const inked = text.trim();
			// Outer blanks would be drawn by nobody, and what is left would be stretched over their place.
			const blanks = text.length - text.trimStart().length;
			const inkedCells = cells - (text.length - inked.length);
			if (inked !== '') texts.push(textAt(inked, inkedCells, left + (cell + blanks) * CELL, top, looks));
			cell += cells;
		}
		if (span.background !== undefined) {
			const [x, width] = [place(left + begin * CELL), place((cell - begin) * CELL)];
			const fill = colorOf(span.background, theme);
			drawn.push(`<rect x="${x}" y="${place(top)}" width="${width}" height="${LINE}" fill="${fill}"/>`);
		}
		drawn.push(...texts);
	}
	return drawn;
}

function textAt(text: string, cells: number, left: number, top: number, looks: string): string {
	const at = `x="${place(left)}" y="${place(top + FEET)}" textLength="${place(cells * CELL)}" lengthAdjust="spacingAndGlyphs"`;
	return `<text ${at}${looks}>${escaped(text).replaceAll(' ', HARD_BLANK)}</text>`;
}

function looksOf({ scope, color, background, isBold, isItalic, isUnderlined, isDim }: Span, theme: Theme): string {
	const own = color === undefined ? scope && colorOfScope(theme, scope) : colorOf(color, theme);
	const fill = background === undefined ? own : readableOn(colorOf(background, theme), own ?? theme.text);
	return [
		fill ? ` fill="${fill}"` : '',
		isBold || scope === 'strong' ? ' font-weight="bold"' : '',
		isItalic || scope === 'emphasis' ? ' font-style="italic"' : '',
		isUnderlined ? ' text-decoration="underline"' : '',
		isDim ? ' opacity="0.6"' : '',
	].join('');
}

function colorOf(color: Color, theme: Theme): string {
	if (typeof color === 'number') return colorOfTerminal(theme, color);
	return color === 'text' || color === 'page' || color === 'quiet' ? theme[color] : color;
}

/** Tabs reach to the next multiple of {@link TAB} cells. */
function withoutTabs(line: Line): Line {
	let cell = 0;
	return line.map(span => {
		const [first = '', ...others] = span.text.split('\t');
		cell += widthOf(first);
		let text = first;
		for (const other of others) {
			const blanks = TAB - (cell % TAB);
			text += ' '.repeat(blanks) + other;
			cell += blanks + widthOf(other);
		}
		return { ...span, text };
	});
}

function cellsOfLine(line: Line): number {
	return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** Its end says more than its beginning: a path. */
function shortened(title: string): string {
	let kept = title;
	while (widthOf(kept) > MOST_TITLE_CELLS) kept = kept.slice(Math.max(1, kept.length - MOST_TITLE_CELLS));
	return kept === title ? title : `\u2026${kept}`;
}

function place(pixels: number): string {
	return String(Math.round(pixels * 100) / 100);
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
