import { MarkdownString } from 'vscode';
import { visible } from '../../base/visible.ts';

/** A hover of a heading and lines of `label: value`; lines without a value are left out. All of it is plain text. */
export function tooltip(
	heading: string,
	rows: readonly (readonly [label: string, value: string | undefined])[],
): MarkdownString {
	const text = new MarkdownString();
	text.appendMarkdown(`**${escaped(heading)}**\n\n`);
	for (const [label, value] of rows) {
		if (value === undefined || value === '') continue;
		text.appendMarkdown(`${escaped(`${label}: ${value}`)}  \n`);
	}
	return text;
}

/** Adds a message's text, as it is, below the lines. */
export function withText(hover: MarkdownString, text: string, limit = 1200): MarkdownString {
	const shown = text.length <= limit ? text : `${text.slice(0, limit)} …`;
	return hover.appendMarkdown('\n\n---\n\n').appendCodeblock(visible(shown), 'markdown');
}

/** A text as it is, where VS Code takes Markdown only. */
export function asMarkdown(text: string): MarkdownString {
	return new MarkdownString(escaped(text));
}

/**
 * `appendText` leaves addresses of pages and of mail, which VS Code makes links of (GFM's autolinks), and names of characters, such as
 * `&rlm;`. It writes spaces as `&nbsp;`, at which no line is broken. So those between words become spaces again.
 */
function escaped(text: string): string {
	const { value } = new MarkdownString().appendText(visible(text));
	return value.replace(/[:.@]|&(?!nbsp;)/g, '\\$&').replace(/(?<=\S)(?<!&nbsp;)&nbsp;(?!&nbsp;|\s|$)/g, ' ');
}
