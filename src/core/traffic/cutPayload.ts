import { redact, redactText } from './redact.ts';

/** Most characters of one payload that are stored. */
export const PAYLOAD_LIMIT = 64 * 1024;

/** Characters behind a cut that are still searched, so that a secret across the cut is seen whole. */
export const LOOK_BEHIND_CUT = 8 * 1024;

/** How long each text and list may be, tried in this order until the whole fits. */
const STEPS = [
	{ text: PAYLOAD_LIMIT, list: 5000 },
	{ text: 8192, list: 500 },
	{ text: 1024, list: 100 },
	{ text: 200, list: 20 },
] as const;

/** A payload as it is stored: without secrets and within {@link PAYLOAD_LIMIT}, with a mark wherever something was cut. */
export function storablePayload(payload: unknown, limit: number = PAYLOAD_LIMIT): unknown {
	for (const step of STEPS) {
		const value = redact(shorten(payload, step.text, step.list, 0));
		const cut = trim(value, step.text);
		if (JSON.stringify(cut).length <= limit) return cut;
	}
	const text = JSON.stringify(redact(shorten(payload, 200, 20, 0)));
	return { cut: true, opening: text.slice(0, Math.max(0, Math.floor(limit / 4))) };
}

/** A text without secrets, at most `limit` characters long. */
export function storableText(text: string, limit: number): string {
	return mark(redactText(text.slice(0, limit + LOOK_BEHIND_CUT)), limit);
}

/** A rough cut before the search for secrets, so that a payload of many megabytes costs little. */
function shorten(value: unknown, text: number, list: number, depth: number): unknown {
	if (typeof value === 'string') {
		return value.length <= text + LOOK_BEHIND_CUT ? value : value.slice(0, text + LOOK_BEHIND_CUT);
	}
	if (typeof value !== 'object' || value === null || depth > 200) return value;
	if (Array.isArray(value)) {
		const kept = value.slice(0, list).map(item => shorten(item, text, list, depth + 1));
		return value.length > list ? [...kept, `… [cut, ${value.length} items]`] : kept;
	}
	const entries = Object.entries(value);
	const kept = entries.slice(0, list).map(([key, item]) => [key, shorten(item, text, list, depth + 1)] as const);
	return Object.fromEntries(
		entries.length > list ? [...kept, ['…', `[cut, ${entries.length} keys]`] as const] : kept,
	);
}

function trim(value: unknown, text: number): unknown {
	if (typeof value === 'string') return mark(value, text);
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map(item => trim(item, text));
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, trim(item, text)]));
}

function mark(text: string, limit: number): string {
	return text.length <= limit ? text : `${text.slice(0, limit)}… [cut]`;
}
