/** One word for `sh`, whatever is in it. */
export function quoted(word: string): string {
	return `'${word.replaceAll("'", `'\\''`)}'`;
}
