import { visibleLine } from '../../base/visible.ts';

/** In UTF-16 units. */
const LONGEST = 400;

/** A path in a refusal: the name of a file may be anything, also lines that look like Nancy's. */
export function shownPath(path: string): string {
	return visibleLine(path, LONGEST);
}
