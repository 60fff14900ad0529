import { phrase } from '../../base/phrase.ts';
import type { Posted } from './host.ts';
import { isOf } from './isOf.ts';
import type { Shape } from './shape.ts';
import { apiError } from './shapes.ts';
import { say } from './words.ts';

/** How often a request is sent whose answer did not come. In between, the page waits so many milliseconds. */
const TRIES = 3;
const PAUSE_MS = 1000;

/**
 * Sends a request to a route of the API, below the page's own address.
 * @param token is asked before each try: with `undefined`, the page has no server that has proved itself, and nothing is sent
 */
export function post<T>(
	route: string,
	body: object,
	reply: Shape<T>,
	token: () => string | undefined,
): Promise<Posted<T>> {
	const headers = { 'Content-Type': 'application/json' };
	return ask(route, { method: 'POST', headers, body: JSON.stringify(body) }, reply, token);
}

/** Looks at something: see {@link post}. */
export function get<T>(
	route: string,
	query: Readonly<Record<string, string>>,
	reply: Shape<T>,
	token: () => string | undefined,
): Promise<Posted<T>> {
	return ask(`${route}?${String(new URLSearchParams(query))}`, {}, reply, token);
}

async function ask<T>(
	route: string,
	{ headers = {}, ...request }: Omit<RequestInit, 'headers'> & { headers?: Readonly<Record<string, string>> },
	reply: Shape<T>,
	token: () => string | undefined,
): Promise<Posted<T>> {
	for (let left = TRIES; left > 0; left--) {
		const known = token();
		if (known === undefined) break;
		const response = await fetch(`api/v1/${route}`, {
			...request,
			headers: { ...headers, ...(known !== '' && { Authorization: `Bearer ${known}` }) },
		}).catch(() => undefined);
		if (response) return read(await response.text().catch(() => ''), response, reply);
		await new Promise(resolve => setTimeout(resolve, PAUSE_MS));
	}
	return {
		is: 'failed',
		message: say(phrase`There was no answer. When the page is connected again, it shows what came of it.`),
	};
}

function read<T>(text: string, { ok, status }: Response, reply: Shape<T>): Posted<T> {
	const value = parsed(text);
	if (ok && isOf(reply, value)) return { is: 'done', value };
	return {
		is: 'failed',
		message: isOf(apiError, value) ? value.error.message : say(phrase`The server did not understand (${status}).`),
	};
}

/** `undefined` for what is not JSON. */
export function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}
