import type { IncomingMessage } from 'node:http';

/** Where the server can be reached. Anything else is somebody's name for this machine. */
export interface Places {
	/** As in a `Host` header: name and port. */
	readonly hosts: ReadonlySet<string>;
	/** As in an `Origin` header. */
	readonly origins: ReadonlySet<string>;
}

/** @param addresses further ones, under which a tunnel of the user's makes the server known */
export function placesOf(port: number, addresses: readonly URL[]): Places {
	const own = ['127.0.0.1', 'localhost', '[::1]'].map(name => `${name}:${port}`);
	return {
		hosts: new Set([...own, ...addresses.map(({ host }) => host)]),
		origins: new Set([...own.map(host => `http://${host}`), ...addresses.map(({ origin }) => origin)]),
	};
}

export type Refusal = { status: 403 | 421; code: string; message: string };

const WRONG_HOST = { status: 421, code: 'wrong-host', message: 'This server has another name.' } as const;
const WRONG_ORIGIN = { status: 403, code: 'wrong-origin', message: 'Another page may not ask this server.' } as const;

/**
 * Why a request is refused whoever sends it: it came by a name that is not the server's (DNS rebinding), or from another page.
 * @param kind `page`: a file of the page, which a person may open by its address. `change` and `socket`: a browser always says where these come from
 */
export function refusalOf(
	{ headers }: Pick<IncomingMessage, 'headers'>,
	{ hosts, origins }: Places,
	kind: 'page' | 'look' | 'change' | 'socket',
): Refusal | undefined {
	if (headers.host === undefined || !hosts.has(headers.host)) return WRONG_HOST;
	const { origin } = headers;
	if (origin === undefined ? kind === 'change' || kind === 'socket' : !origins.has(origin)) return WRONG_ORIGIN;
	const site = headers['sec-fetch-site'];
	if (site === undefined || site === 'same-origin' || (kind === 'page' && isOpening(headers))) return undefined;
	return WRONG_ORIGIN;
}

/** A person opens the page, perhaps by a link, or after the login of a tunnel. It holds no secret, and no other page can look into it. */
function isOpening(headers: IncomingMessage['headers']): boolean {
	return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}
