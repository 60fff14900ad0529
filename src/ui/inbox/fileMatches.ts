/** How many files are offered. */
export const FILES_OFFERED = 20;

/** A glob for the files whose name has the last part of `query` in it, whatever its case. */
export function globFor(query: string): string {
	const name = query.split('/').at(-1) ?? '';
	const letters = Array.from(name, letter => {
		const cases = [...new Set([letter.toLowerCase(), letter.toUpperCase()])].filter(each => each.length === 1);
		if (cases.length === 2) return `[${cases.join('')}]`;
		return /[*?{}[\]!,\\]/.test(letter) ? '?' : letter;
	});
	return letters.length === 0 ? '**/*' : `**/*${letters.join('')}*`;
}

/** The paths that are none of these files and folders, and in none of them. */
export function outside(paths: readonly string[], left: readonly string[]): string[] {
	return paths.filter(path => !left.some(each => path === each || path.startsWith(`${each}/`)));
}

/** The paths that have `query` in them, best first: a name that begins with it, then a shorter path. */
export function bestMatches(paths: readonly string[], query: string): string[] {
	const wanted = query.toLowerCase();
	const name = wanted.split('/').at(-1) ?? '';
	const begins = (path: string) => (path.split('/').at(-1)?.toLowerCase().startsWith(name) ? 0 : 1);
	return [...new Set(paths)]
		.filter(path => path.toLowerCase().includes(wanted))
		.toSorted((a, b) => begins(a) - begins(b) || a.length - b.length || (a < b ? -1 : 1))
		.slice(0, FILES_OFFERED);
}
