import { signal } from '@preact/signals';
import type { ByeReason, Scope, ToPage } from '../../protocol/deskApi.ts';
import type { Shape } from './shape.ts';

/**
 * How the page stands to its server. `over`: it will not connect again by itself. `foreign`: what answers at the server's address is another program.
 */
export type Link =
	| { is: 'unpaired' | 'connecting' | 'lost' }
	| { is: 'asking'; number: string }
	| { is: 'live'; scope: Scope }
	| { is: 'over'; reason: ByeReason | 'refused' | 'expired' | 'foreign' };

export const link = signal<Link>({ is: 'connecting' });

export type Posted<T> = { is: 'done'; value: T } | { is: 'failed'; message: string };

/** What carries the page's words: a server's sockets in a browser. */
export interface Host {
	/** Tells of each message until the page is closed, and keeps {@link link} true. */
	open(receive: (message: ToPage) => void): void;
	/** Sends what a person wants done, once. The same request may arrive twice: its nonce says so. */
	post<T>(route: string, body: object, reply: Shape<T>): Promise<Posted<T>>;
	/** Looks at something that is not in the state. */
	get<T>(route: string, query: Readonly<Record<string, string>>, reply: Shape<T>): Promise<Posted<T>>;
}

/** What a device of this scope may do: each one may do what the one before may, too. */
export function may(wanted: Scope): boolean {
	const order: readonly Scope[] = ['view', 'feedback', 'answer'];
	return link.value.is === 'live' && order.indexOf(link.value.scope) >= order.indexOf(wanted);
}

let used: Host | undefined;

/** From now on the page speaks through this. */
export function setHost(host: Host): void {
	used = host;
}

export function host(): Host {
	if (!used) throw new Error('the page has no host yet');
	return used;
}

/** A request's own name. */
export function newNonce(): string {
	return crypto.randomUUID();
}
