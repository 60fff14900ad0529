import type { DeviceId } from '../../protocol/deskApi.ts';
import { parsed } from './post.ts';
import { isOf } from './isOf.ts';
import { pass } from './shapes.ts';

/** What a paired browser keeps, in this tab alone. */
export interface Pass {
	device: DeviceId;
	token: string;
}

const KEY = 'nancy.desk';

export function keptPass(): Pass | undefined {
	const kept = parsed(sessionStorage.getItem(KEY) ?? '');
	return isOf(pass, kept) ? kept : undefined;
}

export function keepPass({ device, token }: Pass): void {
	sessionStorage.setItem(KEY, JSON.stringify({ device, token }));
}

export function dropPass(): void {
	sessionStorage.removeItem(KEY);
}

/** Whether a server knows the token: it made this proof from the token and the page's own challenge. */
export async function isProof(proof: string, challenge: string, token: string): Promise<boolean> {
	const utf8 = new TextEncoder();
	const key = await crypto.subtle.importKey('raw', utf8.encode(token), { name: 'HMAC', hash: 'SHA-256' }, false, [
		'verify',
	]);
	const bytes = Uint8Array.from(proof.match(/../g) ?? [], pair => Number.parseInt(pair, 16));
	return crypto.subtle.verify('HMAC', key, bytes, utf8.encode(`nancy desk ${challenge}`));
}
