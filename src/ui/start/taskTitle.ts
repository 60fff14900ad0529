import { taskNameFrom } from '../../core/workspace/taskName.ts';
import { TaskName } from '../../protocol/names.ts';
import { mergeSubject } from '../delegates/mergeSubject.ts';

/** In characters: as much as a row of the sidebar shows. */
const LONGEST = 48;

/** A short title from a prompt: its first sentence, or the first words of a long one. Empty for an empty prompt. */
export function titleFrom(prompt: string): string {
	const [line = ''] = prompt.trim().split('\n');
	// A full stop before a small letter or a digit ends no sentence: “e.g. the login”.
	const [sentence = line] = /^.{3,}?[.!?](?=\s+[^\p{Ll}\p{N}])/u.exec(line) ?? [];
	return mergeSubject(sentence, LONGEST);
}

/** A name that no task has yet. Titles without a letter from a to z give the name `task`. */
export function freeName(title: string, taken: ReadonlySet<string>): TaskName {
	const name = taskNameFrom(title) ?? 'task';
	let free: string = name;
	for (let count = 2; taken.has(free); count++) free = `${name.slice(0, 60)}-${count}`;
	return TaskName.parse(free);
}
