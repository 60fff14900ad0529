import { now } from './store.ts';

/** Times as short text, in the language of the browser. */

const MINUTE = 60_000;

/** `4 s`, `12 min`, `3 h`, `2 d`: how long ago, in the largest unit. A part that shows it is drawn anew as time goes on. */
export function age(since: string): string {
	const seconds = Math.max(0, Math.floor((now.value - Date.parse(since)) / 1000));
	if (seconds < 60) return `${seconds} s`;
	const minutes = Math.floor(seconds / 60);
	if (minutes < 60) return `${minutes} min`;
	const hours = Math.floor(minutes / 60);
	return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });

/** `12:03` of the last hours, else `21 Nov, 12:03`. */
export function moment(at: string): string {
	const when = Date.parse(at);
	return (Math.abs(now.value - when) < 12 * 60 * MINUTE ? clock : day).format(when);
}

/** When a message was written, from its id. Empty for a file that a person named. */
export function writtenAt(id: string): string {
	const [, date, hours, minutes, seconds] = /^(\d{8})T(\d\d)(\d\d)(\d\d)\d{3}Z-/.exec(id) ?? [];
	if (date === undefined) return '';
	const iso = `${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T${hours}:${minutes}:${seconds}Z`;
	return moment(iso);
}
