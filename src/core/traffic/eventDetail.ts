import type { DriverId, SessionId } from '../../protocol/names.ts';
import type { NancyPaths } from '../files/paths.ts';
import type { EventWords } from '../driver/eventWords.ts';
import type { TrafficNode } from './node.ts';
import { readTraffic } from './store.ts';

/** What the payloads behind a row say, in words. Redacted and cut, as they are stored. */
export interface EventDetail {
	input: string | undefined;
	output: string | undefined;
}

/** Reads what the payloads behind a row of the traffic say. */
export async function eventDetail(
	paths: NancyPaths,
	session: SessionId,
	{ id, endId }: TrafficNode,
	wordsOf: (driver: DriverId) => EventWords | undefined,
): Promise<EventDetail> {
	const detail: EventDetail = { input: undefined, output: undefined };
	for (const record of await readTraffic(paths, session)) {
		if (record.type !== 'event' || (record.id !== id && record.id !== endId)) continue;
		const words = wordsOf(record.event.driver);
		detail.input ??= firstOf(record.payload, words?.input ?? []);
		// What ended a call may be another event, with words of its own.
		const isOwn = record.id === id || record.event.kind === 'tool-end' || record.event.kind === 'tool-failed';
		if (isOwn) detail.output = firstOf(record.payload, words?.output ?? []) ?? detail.output;
	}
	return detail;
}

/** The first of these fields of a payload with something in it, in words. */
export function firstOf(payload: unknown, paths: readonly string[]): string | undefined {
	for (const path of paths) {
		const text = readable(path.split('.').reduce(fieldOf, payload)).trim();
		if (text !== '') return text;
	}
	return undefined;
}

function fieldOf(value: unknown, name: string): unknown {
	if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
	return Object.entries(value).find(([key]) => key === name)?.[1];
}

/** A value as a person reads it: a text as it is, and each field of an object below its name. Empty ones are left out. */
function readable(value: unknown): string {
	if (typeof value === 'string') return value;
	if (value === undefined || value === null || value === false) return '';
	if (typeof value !== 'object') return JSON.stringify(value);
	if (Array.isArray(value)) return value.map(readable).filter(Boolean).join('\n');
	return Object.entries(value)
		.map(([key, each]) => [key, readable(each)] as const)
		.filter(([, text]) => text !== '')
		.map(([key, text]) => (text.includes('\n') ? `${key}:\n${indented(text)}` : `${key}: ${text}`))
		.join('\n');
}

function indented(text: string): string {
	return text.replaceAll(/^/gm, '  ');
}
