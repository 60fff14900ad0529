/**
 * The one beside something that is gone: the next one behind it that is still there, else the last one before it.
 * @param before as they stood while it was there
 */
export function nearest<T>(before: readonly T[], gone: T, isThere: (one: T) => boolean): T | undefined {
	const at = before.indexOf(gone);
	return before.slice(at + 1).find(isThere) ?? before.slice(0, Math.max(at, 0)).findLast(isThere);
}
