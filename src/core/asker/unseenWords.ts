import { posix } from 'node:path';
import type { Driver } from '../driver/driver.ts';
import { shownPath } from './shownPath.ts';

/** In a refusal. */
const MOST = 20;

/** Names of files, for a person. */
export function shownNames(names: readonly string[]): string {
	const shown = names.slice(0, MOST).map(shownPath);
	return shown.join(', ') + (names.length > MOST ? ` and ${names.length - MOST} more` : '');
}

/** Without those that are there by a shorter name, too: `a/../x` is mostly `x`. */
export function once(names: readonly string[]): string[] {
	return names.filter(name => posix.normalize(name) === name || !names.includes(posix.normalize(name)));
}

/** How a person lets agents start a CLI with the present settings. */
export function cure({ displayName, id }: Driver): string {
	return (
		`Look at them, then start ${displayName} once yourself (in VS Code, or nancy orchestrate --agent ${id}), ` +
		`or run: nancy setup --agent ${id}. A worktree has the files that are committed. Of those that git ignores, it has settings, and ` +
		'the programs that they name, but no links; commit what else is missing'
	);
}
