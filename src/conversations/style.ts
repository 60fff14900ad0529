import { visible } from '../base/visible.ts';

/** How a line of Nancy's own looks in a terminal, or one of a change that it shows. */
const CODES = {
	dim: [2, 22],
	red: [31, 39],
	green: [32, 39],
} as const;

/** How an agent's words look, which are Markdown. None of it looks like a line of Nancy's own. */
const WORDS = {
	heading: [1, 22],
	bold: [1, 22],
	code: [36, 39],
} as const;

export type Style = keyof typeof CODES | keyof typeof WORDS | 'prose';

/** In UTF-16 units. In a longer line nobody looks for words, which takes long in a hostile one. */
const LONGEST_PROSE = 4000;

type Codes = readonly [on: number, off: number];

/** @param env with `NO_COLOR` (no-color.org) there is no colour, and none on a terminal that is dumb */
export function styled(text: string, style: Style | undefined, env = process.env): string {
	if (style === undefined || Boolean(env['NO_COLOR']) || env['TERM'] === 'dumb') return text;
	return style === 'prose' ? proseOf(text) : within(text, { ...CODES, ...WORDS }[style]);
}

/** A line with `code` and **bold** words in it. Their signs stay: nothing is lost to who copies it. */
function proseOf(text: string): string {
	if (text.length > LONGEST_PROSE) return text;
	return text.replace(/(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)|\*\*(?=\S)[^*`]+(?<=\S)\*\*/g, part =>
		within(part, part.startsWith('`') ? WORDS.code : WORDS.bold),
	);
}

function within(text: string, [on, off]: Codes): string {
	return `\u001b[${on}m${text}\u001b[${off}m`;
}

/**
 * The end of a text that fits into one row, with a free column for the cursor. A character that may be wide counts as two columns.
 * @param columns of the terminal; 80 if it does not say
 */
export function endOfRow(text: string, columns: number | undefined): string {
	const width = columns || 80;
	const line = visible(text.slice(-2 * width)).replaceAll('\t', '    ');
	const characters = Array.from(line);
	let left = width - 1;
	let from = characters.length;
	for (; from > 0; from--) {
		left -= (characters[from - 1] ?? '') < '\u0300' ? 1 : 2;
		if (left < 0) break;
	}
	return from === 0 && text.length <= 2 * width ? line : `…${characters.slice(from + 2).join('')}`;
}
