import { signal } from '@preact/signals';
import type { ByeReason, ToPage } from '../../protocol/deskApi.ts';
import type { AnsweredBy } from '../../protocol/question.ts';
import { mayDo, type Scope } from '../../protocol/scope.ts';
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

/** What carries the page's words: a server's sockets in a browser, messages in a tab of VS Code. */
export interface Host {
	/** What an answer from here is called in its record. */
	readonly surface: Extract<AnsweredBy, 'page' | 'vscode'>;
	/** What a person has begun to answer, and not sent. */
	draft: unknown;
	/** Tells of each message until the page is closed, and keeps {@link link} true. */
	open(receive: (message: ToPage) => void): void;
	/** Sends what a person wants done, once. The same request may arrive twice: its nonce says so. */
	post<T>(route: string, body: object, reply: Shape<T>): Promise<Posted<T>>;
}

/** Whether this device may do what needs the scope. */
export function may(wanted: Scope): boolean {
	return link.value.is === 'live' && mayDo(link.value.scope, wanted);
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
