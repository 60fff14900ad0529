import { NOTES_FILES } from '../protocol/memoryNames.ts';

export const COMMANDS = {
	'/status': 'the project',
	'/notes': 'its notes, of one category if you name it',
	'/review': 'what waits for you, one after the other: accept, edit or reject it',
	'/history': 'its tasks',
	'/continue': 'the next tasks continue the conversation',
	'/compact': 'the next task begins anew, with a summary of the ones before',
	'/interactive': 'one task in the agent itself, which you leave to come back',
	'/agent': 'names the agent of the next tasks',
	'/done': 'ends, once the notes are made',
	'/quit': 'ends at once; nancy extract makes the notes later',
};

/** What Tab makes of a line: a command, or the part of the notes behind `/notes`. */
export function completed(line: string): [string[], string] {
	const [, before, word = ''] = /^(\/notes +)?(\S*)$/.exec(line) ?? [];
	const words = before === undefined ? Object.keys(COMMANDS) : NOTES_FILES;
	return line.startsWith('/') ? [words.filter(each => each.startsWith(word)), word] : [[], line];
}

export function help(): string {
	return Object.entries(COMMANDS)
		.map(([word, does]) => `${word.padEnd(12)} ${does}`)
		.join('\n');
}
