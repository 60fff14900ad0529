import { MarkdownString } from 'vscode';

/** A hover of a heading and lines of `label: value`; lines without a value are left out. All of it is plain text. */
export function tooltip(
	heading: string,
	rows: readonly (readonly [label: string, value: string | undefined])[],
): MarkdownString {
	const text = new MarkdownString();
	text.appendMarkdown('**').appendText(heading).appendMarkdown('**\n\n');
	for (const [label, value] of rows) {
		if (value === undefined || value === '') continue;
		text.appendText(`${label}: `).appendText(value).appendMarkdown('  \n');
	}
	return text;
}

/** Adds a message's text, as it is, below the lines. */
export function withText(hover: MarkdownString, text: string, limit = 1200): MarkdownString {
	const shown = text.length <= limit ? text : `${text.slice(0, limit)} …`;
	return hover.appendMarkdown('\n\n---\n\n').appendCodeblock(shown, 'markdown');
}
