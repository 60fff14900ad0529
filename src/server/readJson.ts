import type { IncomingMessage } from 'node:http';

/** In bytes. */
const LARGEST = 1024 * 1024;
/** For what a client may say before it is known: thousands of them may say it at once. */
const LARGEST_OPEN = 4 * 1024;

/** The deepest nesting of a body. No answer of this API is deeper than four. */
const DEEPEST = 16;

export type Body = { ok: true; value: unknown } | { ok: false; status: 400 | 413 | 415; message: string };

/** The JSON of a request's body. @param isOpen of a client that is not known yet */
export async function readJson(request: IncomingMessage, isOpen: boolean): Promise<Body> {
	const [type = ''] = (request.headers['content-type'] ?? '').split(';');
	if (type.trim().toLowerCase() !== 'application/json')
		return { ok: false, status: 415, message: 'The body must be application/json.' };
	const largest = isOpen ? LARGEST_OPEN : LARGEST;
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		size += chunk.length;
		if (size > largest) return { ok: false, status: 413, message: `The body may have ${largest / 1024} kB.` };
		chunks.push(chunk);
	}
	const text = Buffer.concat(chunks).toString('utf8');
	if (depthOf(text) > DEEPEST) return { ok: false, status: 400, message: 'The body is nested too deep.' };
	try {
		return { ok: true, value: JSON.parse(text) };
	} catch {
		return { ok: false, status: 400, message: 'The body is no JSON.' };
	}
}

/** How deep brackets are nested, outside of texts. A text without an end is taken as one, too: looking for its end again and again takes minutes. */
function depthOf(json: string): number {
	let [depth, deepest] = [0, 0];
	for (const [found] of json.matchAll(/"(?:[^"\\]|\\[^])*"?|[[{]|[\]}]/g)) {
		if (found === '[' || found === '{') deepest = Math.max(deepest, ++depth);
		else if (found === ']' || found === '}') depth--;
	}
	return deepest;
}
