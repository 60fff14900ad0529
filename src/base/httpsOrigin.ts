/** An address of https that is a host alone, if the text is one. Plain http would show a token to everybody on the way. */
export function httpsOrigin(text: string): URL | undefined {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	return url?.protocol === 'https:' && url.href === `${url.origin}/` ? url : undefined;
}
