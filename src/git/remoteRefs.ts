/** Refs of a delegate on another machine, by its id. */

/** There: the commit that it begins with. */
export const baseRef = (id: string) => `refs/nancy-base/${id}`;
/** There: its work. */
export const resultRef = (id: string) => `refs/nancy-result/${id}`;
/** There: each names one of its other branches, tags and stashes, and is itself named by {@link otherName}. */
export const othersRef = (id: string) => `refs/nancy-others/${id}`;
/** Here: the work that came back, until it is in its worktree or on a branch. */
export const arrivedRef = (id: string) => `refs/nancy-arrived/${id}`;
/** Here: what came back of {@link othersRef}, until it is on branches. */
export const arrivedOthersRef = (id: string) => `refs/nancy-arrived-others/${id}`;

/** So many of a delegate's other branches, tags and stashes come back by their names. The commits of all further ones come back as one. */
export const MOST_OTHERS = 100;

/** How {@link othersRef} goes on. The number keeps names apart that differ by case alone. None is the folder of another. */
export function otherName(count: number, name: string): string {
	return `${String(count).padStart(3, '0')}-${plainName(name)}`;
}

/** What {@link otherName} was given. */
export function nameOfOther(ref: string): string {
	return plainName(ref.slice(ref.lastIndexOf('/') + 1).replace(/^\d+-/, ''));
}

/** In UTF-16 units. With its delegate's id the name is a file's. */
const LONGEST_NAME = 40;

/** An agent's name for a branch, as a part of one of Nancy's: letters, digits, `_` and `-`. */
function plainName(name: string): string {
	const plain = name
		.normalize('NFC')
		.slice(0, LONGEST_NAME)
		.replace(/[^\p{L}\p{N}_-]+/gu, '-')
		.replace(/^-+|-+$/g, '');
	return plain || 'unnamed';
}
