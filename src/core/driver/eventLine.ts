import type { HeadlessEvent } from './headless.ts';

/** The line of an event for a person who reads along. `undefined` if the event says nothing. */
export function eventLine(event: HeadlessEvent): string | undefined {
	switch (event.is) {
		case 'session':
			return event.model === undefined ? undefined : `— ${event.model} —`;
		case 'text':
			return event.text;
		case 'tool':
			return ['●', event.tool, firstLine(event.summary)].filter(Boolean).join(' ');
		case 'tool-failed':
			return `  ✗ ${firstLine(event.reason)}`;
		case 'denied':
			return `  ✗ not allowed: ${event.tool}: ${firstLine(event.reason)}`;
		case 'retrying':
			return `… ${event.reason}, trying again in ${Math.round(event.afterMs / 1000)} s`;
		case 'quota':
			return event.resetsAtMs === undefined
				? '… the account’s limit is reached'
				: `… the account’s limit is reached; it resets at ${new Date(event.resetsAtMs).toISOString()}`;
		case 'use':
		case 'result':
			return undefined;
	}
}

function firstLine(text: string | undefined): string {
	const [line = '', ...others] = (text ?? '').trim().split('\n');
	return others.length > 0 || line.length > 160 ? `${line.slice(0, 160)} …` : line;
}
