/** A text as one word for `sh`, whatever it contains. */
export function quoted(word: string): string {
	return `'${word.replaceAll("'", `'\\''`)}'`;
}
