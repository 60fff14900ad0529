/** A hint of how many tokens a text has. No honest tokenizer works offline, so it is shown with "about". */
export function aboutTokens(text: string): number {
	return Math.ceil(Buffer.byteLength(text) * 0.3);
}

/** How many bytes have about so many tokens. */
export function bytesOfTokens(tokens: number): number {
	return Math.floor(tokens / 0.3);
}
