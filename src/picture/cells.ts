import { eastAsianWidth } from 'get-east-asian-width';

/** A piece of text that is drawn as one, and the cells of a terminal that it takes. */
export interface Run {
	readonly text: string;
	readonly cells: number;
}

/** The picture character, or a letter that `\ufe0f` makes one: drawn over two cells by every font. */
const EMOJI = /^(?:\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;
const ASCII = /^[\x20-\x7e]+$/;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/**
 * Divides text without tabs and control characters. Neighbours of one cell are one run. Each wide character is a run of its own, because
 * fonts disagree on its width: its place must not depend on what stands before it.
 */
export function runsOf(text: string): Run[] {
	if (ASCII.test(text)) return [{ text, cells: text.length }];
	const runs: Run[] = [];
	let narrow = '';
	let cells = 0;
	const end = () => {
		if (narrow !== '') runs.push({ text: narrow, cells });
		narrow = '';
		cells = 0;
	};
	for (const { segment } of graphemes.segment(text)) {
		const width = cellsOf(segment);
		if (width === 1) {
			narrow += segment;
			cells++;
			continue;
		}
		end();
		runs.push({ text: segment, cells: width });
	}
	end();
	return runs;
}

export function widthOf(text: string): number {
	return runsOf(text).reduce((sum, { cells }) => sum + cells, 0);
}

/** The width of one character as a reader sees it, in cells. */
function cellsOf(grapheme: string): 1 | 2 {
	return EMOJI.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}
