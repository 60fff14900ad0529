import { link } from './host.ts';
import type { Pass } from './pass.ts';
import { post } from './post.ts';
import { pairReply, pairResult } from './shapes.ts';

/** Needs no token. */
const open = () => '';

/** Asks the person at the computer to let this browser in. Answers with its pass, or says in {@link link} why there is none. */
export async function pair(code: string): Promise<Pass | undefined> {
	link.value = { is: 'connecting' };
	const asked = await post('pair', { code, name: deviceName(navigator.userAgent), scope: 'answer' }, pairReply, open);
	if (asked.is === 'failed') {
		link.value = { is: 'over', reason: 'expired' };
		return undefined;
	}
	const { request, number } = asked.value;
	link.value = { is: 'asking', number };
	for (;;) {
		const result = await post('pair/result', { request }, pairResult, open);
		const now = result.is === 'failed' ? ({ is: 'expired' } as const) : result.value;
		if (now.is === 'in') return now;
		if (now.is === 'waiting') continue;
		link.value = { is: 'over', reason: now.is };
		return undefined;
	}
}

/** `iPhone, Safari`: what the person's list of devices calls this browser. */
export function deviceName(userAgent: string): string {
	const first = (names: readonly string[]) => names.find(name => userAgent.includes(name));
	const device = first(['iPhone', 'iPad', 'Android', 'Macintosh', 'Windows', 'CrOS', 'Linux']) ?? '';
	const browser = first(['Edg', 'Firefox', 'FxiOS', 'CriOS', 'Chrome', 'Safari']) ?? '';
	const known: Readonly<Record<string, string>> = {
		Macintosh: 'Mac',
		CrOS: 'Chromebook',
		Edg: 'Edge',
		FxiOS: 'Firefox',
		CriOS: 'Chrome',
	};
	const words = [device, browser].filter(Boolean).map(name => known[name] ?? name);
	return words.join(', ') || 'Browser';
}
