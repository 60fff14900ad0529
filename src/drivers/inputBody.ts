import type { Question } from '../protocol/question.ts';
import { isObject } from './summary.ts';

/** A tool's input as a person sees it: a command, a change, a text, or all of it as JSON. Its other parts stand beside it. */
export function inputBody(input: unknown): Pick<Question, 'body' | 'bodyIs' | 'also'> {
	const { command, content, old_string: before, new_string: after, ...others } = isObject(input) ? input : {};
	const also = Object.entries(others)
		// A path is among the files.
		.filter(([name, value]) => name !== 'file_path' || typeof value !== 'string')
		.map(([name, value]) => ({ name, value: typeof value === 'string' ? value : JSON.stringify(value) }));
	const isAlone = (...rest: unknown[]) => rest.every(each => each === undefined);
	if (typeof command === 'string' && isAlone(content, before, after))
		return { body: command, bodyIs: 'command', also };
	if (typeof before === 'string' && typeof after === 'string' && isAlone(command, content))
		return { body: [...lines('-', before), ...lines('+', after)].join('\n'), bodyIs: 'diff', also };
	if (typeof content === 'string' && isAlone(command, before, after)) return { body: content, bodyIs: 'text', also };
	return { body: JSON.stringify(input, null, 2) ?? '', bodyIs: 'json', also: [] };
}

function lines(sign: string, text: string): string[] {
	return text.split('\n').map(line => sign + line);
}
