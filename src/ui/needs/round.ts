/** Has a place among others: see {@link nextAfter}. */
export interface Placed {
	/** Sorts before the places of those that come later. */
	readonly place: string;
}

/**
 * The first one behind the place where the user was last, round and round. Whatever was there may need nothing any more.
 * @param all in the order of their places
 */
export function nextAfter<T extends Placed>(all: readonly T[], last: string | undefined): T | undefined {
	return all.find(({ place }) => last !== undefined && place > last) ?? all[0];
}
