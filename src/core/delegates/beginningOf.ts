/** The beginning of a text, in bytes of UTF-8 at most, and whether that is all of it. */
export function beginningOf(text: string, limit: number): { text: string; isWhole: boolean } {
	const bytes = Buffer.from(text);
	if (bytes.length <= limit) return { text, isWhole: true };
	// A character that was cut in two goes.
	const cut = bytes
		.subarray(0, limit)
		.toString('utf8')
		.replace(/\uFFFD+$/, '');
	return { text: cut, isWhole: false };
}
