import { visible } from '../../base/visible.ts';
import { plainLine } from './plain.ts';

/** Another person's text in a page that VS Code renders from Markdown: shown as it is, whatever is in it. */

/** As one line. Markdown takes every sign for itself that stands behind a backslash. The preview makes links of bare addresses, too. */
export function pageLine(text: string): string {
	return plainLine(text, 2000).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** With its lines. No line of the text can end the block. */
export function pageBlock(text: string): string {
	const shown = visible(text);
	const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
	const fence = '`'.repeat(longest + 1);
	return `${fence}text\n${shown}\n${fence}`;
}
