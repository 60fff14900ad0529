import type { AgentEvent } from '../protocol/traffic.ts';

/** Longest summary, in UTF-16 units: one line of a tree. */
const SUMMARY = 200;

/** Fields of a tool's input that say what it works on, most telling first. */
const telling = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'skill', 'description', 'prompt'];

/** What a tool works on, as far as its input says so in one of the usual fields. */
export function inputSummary(input: unknown): string | undefined {
	if (!isObject(input)) return undefined;
	const values = telling.map(name => input[name]);
	return oneLine(values.find(value => typeof value === 'string' && value !== ''));
}

/** A text as one short line; nothing for an empty text or another value. */
export function oneLine(text: unknown): string | undefined {
	if (typeof text !== 'string') return undefined;
	const line = text
		.slice(0, 4 * SUMMARY)
		.replace(/\s+/g, ' ')
		.trim();
	if (line === '') return undefined;
	return line.length <= SUMMARY ? line : `${line.slice(0, SUMMARY - 1)}…`;
}

/** The end of a turn that the agent did not end by itself: it failed, or its user broke it off. */
export function failedTurn(error: string | undefined): Pick<AgentEvent, 'summary'> & Partial<Pick<AgentEvent, 'kind'>> {
	return error === undefined ? {} : { kind: 'stop-failed', summary: oneLine(error) };
}

/** A field of a tool's input, if it is a text. */
export function textIn(input: unknown, field: string): string | undefined {
	const value = isObject(input) ? input[field] : undefined;
	return typeof value === 'string' ? value : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function withoutUndefined<T extends object>(value: { [Key in keyof T]: T[Key] | undefined }): T;
export function withoutUndefined(value: object): object {
	return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}
