import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../base/inside.ts';
import { visible } from '../base/visible.ts';
import { askAt, cutAtZeros } from '../git/git.ts';

/** A mention of a file that is being typed: the end of a line. */
const MENTION = /(?:^|\s)@(\S*)$/;
/** If more names fit, the terminal lists none: the person types a further letter. */
const MOST = 200;
/** Who presses Tab does not wait longer, in milliseconds. */
const LONGEST_MS = 3000;

/** What Tab may make of a line: each with the part of the line that it replaces. */
export type Completed = [found: string[], typed: string];

/**
 * What a line up to the cursor may go on with: at its beginning a command, at its end a mention of a file.
 * @param folder whose files can be mentioned
 * @param commands with their slash
 */
export async function completed(line: string, folder: string, commands: readonly string[]): Promise<Completed> {
	const path = MENTION.exec(line)?.[1];
	if (path !== undefined) return [(await placesIn(folder, path)).map(place => `@${place}`), `@${path}`];
	return [line.startsWith('/') ? [...new Set(commands)].filter(each => each.startsWith(line)) : [], line];
}

/**
 * The files and folders that begin so: in a repository those that git knows or would add, elsewhere all. A folder ends with a slash, and what
 * is in it comes with the next Tab. None leads outside, also by no link, and each name is one that can be typed and read. Only names are
 * looked at: the agent reads the file, with its own permissions.
 */
async function placesIn(folder: string, path: string): Promise<string[]> {
	const above = path.slice(0, path.lastIndexOf('/') + 1);
	try {
		const root = await realpath(folder);
		const isWithin = async (place: string) => isInside(root, await realpath(join(root, place)));
		if (path.startsWith('/') || !(await isWithin(above))) return [];
		const names = (await namesByGit(root, above)) ?? (await namesIn(root, above));
		const fitting = [...new Set(names)].filter(name => name.startsWith(path) && isTypable(name));
		if (fitting.length > MOST) return [];
		const kept = await Promise.all(fitting.map(name => isWithin(name).catch(() => false)));
		return fitting.filter((_, at) => kept[at]);
	} catch {
		// The folder is not there, or is not to be read.
		return [];
	}
}

function isTypable(name: string): boolean {
	return !/\s/.test(name) && visible(name) === name;
}

/** @returns `undefined` outside a repository, without git, and if git fails */
async function namesByGit(root: string, above: string): Promise<string[] | undefined> {
	const places = above === '' ? [] : [above];
	const known = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...places] as const;
	try {
		const options = { env: { GIT_LITERAL_PATHSPECS: '1' }, timeoutMs: LONGEST_MS };
		const { stdout } = await askAt(root, known, options);
		return cutAtZeros(stdout).map(name => upToSlash(name, above.length));
	} catch {
		return undefined;
	}
}

async function namesIn(root: string, above: string): Promise<string[]> {
	const entries = await readdir(join(root, above), { withFileTypes: true });
	return entries.map(entry => `${above}${entry.name}${entry.isDirectory() ? '/' : ''}`).toSorted();
}

/** `src/` of `src/base/inside.ts`. */
function upToSlash(name: string, from: number): string {
	const slash = name.indexOf('/', from);
	return slash < 0 ? name : name.slice(0, slash + 1);
}
