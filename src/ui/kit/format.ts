import { NewestMap } from '../../base/newestMap.ts';

/** Numbers and times as short text. No words, so nothing here needs translating but unit signs. */

/** `4 s`, `12 min`, `3 h`, `2 d`: how long ago, in the largest unit. */
export function formatAge(since: string, nowMs: number = Date.now()): string {
	return formatSpan(Math.max(0, nowMs - Date.parse(since)));
}

/**
 * The same in minutes, or `undefined` before the first has passed. It is for rows, which are drawn again when they look different. A row
 * that is drawn again closes its hover, and loses a click of that moment.
 */
export function formatMinutes(since: string, nowMs: number = Date.now()): string | undefined {
	return nowMs - Date.parse(since) < 60_000 ? undefined : formatAge(since, nowMs);
}

export function formatSpan(ms: number): string {
	const seconds = Math.floor(ms / 1000);
	if (seconds < 60) return `${seconds} s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return `${minutes} min`;
	const hours = Math.floor(minutes / 60);
	return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** How long something took: `85 ms`, `1.2 s`, `3 min`. */
export function formatDuration(ms: number): string {
	if (ms < 1000) return `${Math.round(ms)} ms`;
	return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatSpan(ms);
}

/** To make a format takes longer than to draw a row, and to use one takes most of the time of drawing it. */
const formats = new Map<string, Intl.DateTimeFormat>();
const formatted = new NewestMap<string, string>(5000);

/** @param name of the format, the same for the same options */
function formatWith(name: string, options: Intl.DateTimeFormatOptions, moment: string): string {
	const key = `${name} ${moment}`;
	const known = formatted.get(key);
	if (known !== undefined) return known;
	const format = formats.get(name) ?? new Intl.DateTimeFormat(undefined, options);
	formats.set(name, format);
	const text = format.format(new Date(moment));
	formatted.set(key, text);
	return text;
}

/** `12:03:04` in the reader's own time zone. */
export function formatTime(moment: string): string {
	return formatWith('seconds', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }, moment);
}

/** `21 Nov 2026, 12:03:04`, in the reader's own time zone and order. */
export function formatDateTime(moment: string): string {
	const date = { day: 'numeric', month: 'short', year: 'numeric' } as const;
	const time = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const;
	return formatWith('whole', { ...date, ...time }, moment);
}

/** `12:03` of today, else `21 Nov`, and the year if it is another one; in the reader's own time zone and order. */
export function formatMoment(moment: string, nowMs: number = Date.now()): string {
	const [at, now] = [new Date(moment), new Date(nowMs)];
	if (at.toDateString() === now.toDateString())
		return formatWith('minutes', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }, moment);
	const date = { day: 'numeric', month: 'short' } as const;
	return at.getFullYear() === now.getFullYear()
		? formatWith('day', date, moment)
		: formatWith('year', { ...date, year: 'numeric' }, moment);
}

/** `950`, `12.3k`, `200k`, `1.2M`. */
export function formatCount(count: number): string {
	const thousands = Math.round(count / 100) / 10;
	if (count < 1000) return String(count);
	return thousands < 1000 ? `${thousands}k` : `${Math.round(count / 100_000) / 10}M`;
}

/** `45k`, `1.2M`: two digits, so that a row does not change with each reply. Empty below a thousand. */
export function formatRough(count: number): string {
	if (count < 1000) return '';
	const rough = count < 100_000 ? Math.round(count / 1000) * 1000 : Number(count.toPrecision(2));
	return rough < 1_000_000 ? `${Math.round(rough / 1000)}k` : `${Number((rough / 1_000_000).toPrecision(2))}M`;
}

/** `$0.31`, `$1.20`, `$14`: two digits. Empty below a cent. */
export function formatCents(dollars: number): string {
	if (dollars < 0.005) return '';
	if (dollars < 1) return `$${dollars.toFixed(2)}`;
	const rough = Number(dollars.toPrecision(2));
	return rough < 10 ? `$${rough.toFixed(2)}` : `$${rough}`;
}

/** `$0.31`; less than a cent is `< $0.01`. */
export function formatDollars(dollars: number): string {
	return dollars > 0 && dollars < 0.01 ? '< $0.01' : `$${dollars.toFixed(2)}`;
}

/** `5 h`, `7 d`: how long a limit is for. */
export function formatWindow(minutes: number): string {
	if (minutes < 60) return `${minutes} min`;
	const hours = Math.round(minutes / 60);
	return hours % 24 === 0 ? `${hours / 24} d` : `${hours} h`;
}

/** The first line with something on it, cut at `limit` characters. */
export function firstLine(text: string, limit = 80): string {
	const line = text.split('\n').find(each => each.trim() !== '') ?? '';
	const plain = line.trim().replace(/\s+/g, ' ');
	return plain.length <= limit ? plain : `${plain.slice(0, limit - 1).trimEnd()}…`;
}

/**
 * `Fix the roun… · worker-2`: the worker's own name stays whole.
 * @param most letters of the title
 */
export function shortName(name: string, most: number): string {
	const [title = '', ...others] = name.split(' · ');
	return [firstLine(title, most), ...others.slice(-1)].join(' · ');
}

export function capitalized(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** With a capital and a full stop. */
export function sentence(text: string): string {
	return capitalized(text) + (/[.!?…]$/.test(text) ? '' : '.');
}
