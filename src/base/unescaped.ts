/** A text as it was before a CLI has escaped its angle brackets, as some do with what a hook adds. */
export function unescaped(text: string): string {
	return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
}
