import { posix } from 'node:path';
import { visibleLine } from '../../base/visible.ts';

/** In a refusal. */
const MOST = 20;
/** In UTF-16 units. The name of a file may be anything. */
const LONGEST = 200;

/** Names of files, for a person. */
export function shownNames(names: readonly string[]): string {
	const shown = names.slice(0, MOST).map(name => visibleLine(name, LONGEST));
	return shown.join(', ') + (names.length > MOST ? ` and ${names.length - MOST} more` : '');
}

/** Without those that are there by a shorter name, too: `a/../x` is mostly `x`. */
export function once(names: readonly string[]): string[] {
	return names.filter(name => posix.normalize(name) === name || !names.includes(posix.normalize(name)));
}
