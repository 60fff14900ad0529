/**
 * Characters that a reader does not see, or sees in another place. They are control characters (except tab and line end), halves of
 * characters, line and paragraph separators, and Unicode's ignorable ones. The ignorable ones include every zero-width, bidirectional and
 * tag character. A joiner between two letters of one script or two pictures stays, and so does one variation selector.
 */
const UNSEEN = String.raw`(?!(?<=[^\0-\x7f\p{DI}][\ufe0e\ufe0f]?)[\u200c\u200d][^\0-\x7f\p{DI}])(?!(?<=[#*0-9©®]|[^\0-\xff\p{DI}])[\ufe0e\ufe0f])(?![\t\n])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]`;
/** Made at first use: V8 checks the literal's classes when it reads the program, which takes 0.7 ms of every start. */
let unseen: RegExp | undefined;

/**
 * Another person's text, safe to show. Nothing in it controls a terminal, reverses the reading order or hides. A control character becomes
 * `\x1b`, another invisible one `⟨U+202E⟩`; lines and tabs stay.
 */
export function visible(text: string): string {
	unseen ??= new RegExp(UNSEEN, 'gu');
	return text.replaceAll('\r\n', '\n').replace(unseen, codeOf);
}

/**
 * What a shell gets, with signs that {@link visible} leaves. Before the end of a line, a carriage return changes the command. A blank of
 * another kind is a part of a word.
 */
export function exact(command: string): string {
	return command.replace(/\r|(?! )\p{Zs}/gu, codeOf);
}

function codeOf(character: string): string {
	const code = character.codePointAt(0) ?? 0;
	const digits = code.toString(16);
	return code < 0xa0 ? `\\x${digits.padStart(2, '0')}` : `⟨U+${digits.toUpperCase().padStart(4, '0')}⟩`;
}

/** The same as one line of at most `limit` UTF-16 units. */
export function visibleLine(text: string, limit = 100): string {
	const line = visible(text).replace(/\s+/g, ' ').trim();
	return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

/** Another person's text in one line, in quotation marks that nothing in the text can end. */
export function quoted(text: string): string {
	return JSON.stringify(visible(text));
}
