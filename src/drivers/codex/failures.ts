import type { HeadlessFailure } from '../../core/driver/headless.ts';

// The CLI reports the kind of failure only in words: codex-rs, protocol/src/error.rs.

/** The account gives nothing more for a while. */
const USED_UP = /hit your (?:usage limit|spend cap)|out of credits|Quota exceeded/i;
const TOO_MANY = /last status: 429/i;
const TRANSIENT =
	/experiencing high demand|at capacity|stream disconnected|Connection failed|timed? ?out|while reading the server response|agent loop died|(?:last|unexpected) status:? 5\d\d/i;

export function failureOf(reason: string): HeadlessFailure {
	if (isUsedUp(reason) || TOO_MANY.test(reason)) return { reason, kind: 'too-many' };
	return { reason, kind: TRANSIENT.test(reason) ? 'transient' : 'final' };
}

export function isUsedUp(reason: string): boolean {
	return USED_UP.test(reason);
}

/**
 * When the account's limit resets, in Unix milliseconds; `undefined` if the CLI does not say. The CLI uses local time:
 * `Try again at 3:05 PM.` today, `or try again at Nov 23rd, 2026 3:05 PM.` on another day.
 */
export function resetOf(reason: string, nowMs: number): number | undefined {
	const found = /try again at (?:(\w{3} \d{1,2})(?:st|nd|rd|th), (\d{4}) )?(\d{1,2}:\d\d [AP]M)/i.exec(reason);
	if (!found) return undefined;
	const [, day, year, time] = found;
	const today = new Date(nowMs).toDateString();
	const atMs = Date.parse(day === undefined ? `${today} ${time}` : `${day} ${year} ${time}`);
	return Number.isNaN(atMs) ? undefined : atMs;
}
