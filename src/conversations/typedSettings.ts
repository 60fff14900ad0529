import { errorText } from '../base/errors.ts';
import type { Settings } from './conversation.ts';

export const SET = '/set';

/** `/set`, `/set mode`, `/set mode plan`. */
const TYPED = /^\/set(?:\s+(?<id>\S+)(?:\s+(?<chosen>.+))?)?$/;

/**
 * Takes a line that a person has typed. A value is named by its id or its name.
 * @param say gets the answer, a line each
 * @returns whether it was one for the settings
 */
export function isSetting(line: string, settings: Settings | undefined, say: (line: string) => void): boolean {
	const typed = TYPED.exec(line);
	if (!settings || !typed) return false;
	const { id, chosen } = typed.groups ?? {};
	const found = settings.list.filter(each => id === undefined || each.id === id);
	if (found.length === 0)
		say(id === undefined ? 'this agent has nothing to set' : `this agent has no "${id}" to set`);
	if (chosen === undefined) {
		for (const { id: name, value, values } of found) say(`${name}: ${value} (${values.map(wordOf).join(', ')})`);
		return true;
	}
	for (const { id: name, values } of found) {
		const value = values.find(each => each.value === chosen || each.name.toLowerCase() === chosen.toLowerCase());
		if (value) settings.set(name, value.value).catch((error: unknown) => say(`not set: ${errorText(error)}`));
		else say(`${name} takes ${values.map(wordOf).join(', ')}`);
	}
	return true;
}

/** The shorter of both, in one word if there is one. */
function wordOf({ value, name }: { value: string; name: string }): string {
	return /^[\w.-]+$/.test(value) ? value : name;
}
