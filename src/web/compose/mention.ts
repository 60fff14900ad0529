/** An `@` with the begin of a path behind it, at the caret. */
export interface Mention {
	/** Where the `@` is. */
	start: number;
	query: string;
}

/** An address such as `me@example.org` is none: its `@` does not begin a word. */
export function mentionAt(text: string, caret: number): Mention | undefined {
	const found = /(?:^|[\s([{"'`])@([^\s@]{0,200})$/.exec(text.slice(0, caret));
	const query = found?.[1];
	return query === undefined ? undefined : { start: caret - query.length - 1, query };
}
