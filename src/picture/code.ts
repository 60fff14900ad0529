import hljs from 'highlight.js/lib/common';
import type { Line, Span } from './line.ts';
import { tokensOf } from './tokens.ts';

/**
 * Code as lines of coloured spans.
 * @param language a name or a file's extension, as highlight.js knows it; any other leaves the text without colours
 */
export function linesOfCode(code: string, language: string): Line[] {
	const lines: Span[][] = [[]];
	for (const { text, scope } of tokensOf(hljs, code.replaceAll(/\r\n?/g, '\n'), language)) {
		for (const [at, part] of text.split('\n').entries()) {
			if (at > 0) lines.push([]);
			if (part !== '') lines.at(-1)?.push({ text: part, ...(scope !== '' && { scope }) });
		}
	}
	return lines;
}
