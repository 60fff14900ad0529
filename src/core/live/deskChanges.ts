import type { DeskPatch, DeskState } from '../../protocol/deskState.ts';

const SECTIONS = ['folders', 'questions', 'tasks', 'messages', 'delegates'] as const;

/** What turns one state of the desk into the next one. */
export interface DeskChange {
	/** By section and key, as JSON. */
	readonly seen: ReadonlyMap<string, string>;
	/** `undefined`: nothing has changed. */
	readonly patch: DeskPatch | undefined;
}

/** @param before what {@link deskChange} gave for the last state */
export function deskChange(before: ReadonlyMap<string, string>, state: DeskState): DeskChange {
	const seen = new Map<string, string>();
	const left = new Set(before.keys());
	const patch: DeskPatch = {};
	for (const section of SECTIONS) {
		const put = state[section].filter(item => {
			const name = `${section} ${item.key}`;
			const text = JSON.stringify(item);
			seen.set(name, text);
			left.delete(name);
			return before.get(name) !== text;
		});
		if (put.length > 0) Object.assign(patch, { [section]: { put, gone: [] } });
	}
	for (const name of left) {
		const at = name.indexOf(' ');
		const section = SECTIONS.find(each => each === name.slice(0, at));
		if (section) (patch[section] ??= { put: [], gone: [] }).gone.push(name.slice(at + 1));
	}
	return { seen, patch: Object.keys(patch).length === 0 ? undefined : patch };
}
