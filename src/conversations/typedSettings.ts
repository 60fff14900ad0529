import { visibleLine } from '../base/visible.ts';
import { agentWords } from './agentWords.ts';
import type { Conversation, Setting, Settings } from './conversation.ts';

export const SET = '/set';

/** `/set`, `/set mode`, `/set mode plan`. A text of several lines is a prompt. */
const TYPED = /^\/set(?:[ \t]+(?<said>.+))?$/;
/** How long an agent may be silent before its user hears of that, in milliseconds. It knows at once. */
const ANSWER_MS = 10_000;

/**
 * Takes a line that a person has typed. A value is named by its id, or by what names no other one.
 * @param conversation `undefined` before it has begun
 * @param say gets the answer, a line each
 * @returns whether it was one for the settings
 */
export function isSetting(
	line: string,
	conversation: Pick<Conversation, 'settings'> | undefined,
	say: (line: string) => void,
): boolean {
	const typed = TYPED.exec(line);
	if (!typed) return false;
	if (!conversation) {
		say('not set: the agent has not begun yet');
		return true;
	}
	const { settings } = conversation;
	if (!settings) return false;
	const said = typed.groups?.['said'] ?? '';
	const setting = settingIn(said, settings.list);
	const chosen = setting && said.slice(setting.id.length).trim();
	const found = said === '' ? settings.list : setting ? [setting] : [];
	if (found.length === 0) say(said === '' ? 'this agent has nothing to set' : `this agent has no "${said}" to set`);
	if (!setting || !chosen) {
		for (const { id: name, value, values } of found) say(`${name}: ${wordOf(value, values)} (${wordsOf(values)})`);
		return true;
	}
	const value = valueOf(chosen, setting.values);
	if (value === undefined) say(`${setting.id} takes ${wordsOf(setting.values)}`);
	else void set(settings, setting.id, value, say);
	return true;
}

/** Says what becomes of it, unless the settings themselves do. */
async function set(settings: Settings, id: string, value: string, say: (line: string) => void): Promise<void> {
	const late = setTimeout(() => say(`${id} is not set yet: the agent has not answered`), ANSWER_MS);
	try {
		await settings.set(id, value);
	} catch (error) {
		say(`not set: ${agentWords(error)}`);
	} finally {
		clearTimeout(late);
	}
}

/** The setting that a text begins with. Its id may have blanks, and one may be the beginning of another: then the shorter one counts. */
function settingIn(said: string, list: readonly Setting[]): Setting | undefined {
	const [first] = list
		.filter(({ id }) => said.startsWith(id) && !/^\S/.test(said.slice(id.length)))
		.toSorted((a, b) => a.id.length - b.id.length);
	return first;
}

/** An agent may name one value like the id of another. */
function valueOf(chosen: string, values: Setting['values']): string | undefined {
	if (values.some(({ value }) => value === chosen)) return chosen;
	const isChosen = (word: string) => visibleLine(word).toLowerCase() === chosen.toLowerCase();
	const named = values.filter(({ value, name }) => isChosen(value) || isChosen(name));
	return named.length === 1 ? named[0]?.value : undefined;
}

function wordsOf(values: Setting['values']): string {
	return values.map(({ value }) => wordOf(value, values)).join(', ');
}

/** What a value is called: by its id if that is one word, and otherwise by its name. */
export function wordOf(value: string, values: Setting['values']): string {
	const isWord = /^[\w.-]+$/.test(value);
	return visibleLine(isWord ? value : (values.find(each => each.value === value)?.name ?? value));
}
