import hljs from 'highlight.js/lib/common';
import type { Line } from './line.ts';
import { linesOf, tokensOf } from './tokens.ts';

/**
 * Code as lines of coloured spans.
 * @param language a name or a file's extension, as highlight.js knows it; any other leaves the text without colours
 */
export function linesOfCode(code: string, language: string): Line[] {
	return linesOf(tokensOf(hljs, code.replaceAll(/\r\n?/g, '\n'), language));
}
