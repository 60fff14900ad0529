import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

/** All that is below a folder: files by their bytes as text, links by where they lead, folders as `/`; `.nancy` left out. */
export function treeOf(folder: string): Record<string, string> {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	const found = entries.map(entry => {
		const path = join(entry.parentPath, entry.name);
		const content = entry.isDirectory()
			? '/'
			: entry.isSymbolicLink()
				? `-> ${readlinkSync(path)}`
				: readFileSync(path, 'latin1');
		return [relative(folder, path), content] as const;
	});
	return Object.fromEntries(
		found.filter(([path]) => !/^\.nancy(\/|$)/.test(path)).sort(([a], [b]) => (a < b ? -1 : 1)),
	);
}
