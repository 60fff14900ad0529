import type { Worktree } from '../protocol/worktree.ts';
import { cutAtZeros, git, gitAnswer, gitLine, type GitPlace } from './git.ts';
import { DIFF_TREE, headOf, treeOf } from './gitTree.ts';
import { openWorktree, tipOf, type OpenWorktree } from './openWorktree.ts';
import { withWork } from './saveWork.ts';

/** Lines; binary files count as none. */
interface ChangedLines {
	insertions: number;
	deletions: number;
}

export interface ChangedFile {
	path: string;
	/** Its place before it was renamed. */
	before?: string;
	status: 'added' | 'modified' | 'deleted' | 'renamed';
	/** Absent for a binary file. */
	lines?: ChangedLines;
	/** Where it leads, if it is a link now. An ellipsis if that is not read: see {@link MOST_LINKS}. */
	link?: string;
}

/** So many links are read, in the order of git. */
const MOST_LINKS = 500;

/** Where one leads, in bytes: no system has a longer path (Linux's PATH_MAX). The index can name any object. */
const LONGEST_LINK = 4096;

export interface Difference extends ChangedLines {
	files: ChangedFile[];
}

export interface Changes extends Difference {
	/** Since the base. */
	commits: number;
	/** Some of it is not committed. */
	isDirty: boolean;
}

/** From the base to the present files, committed or not. For a worktree whose folder is gone, the staged files, or else the content of its branch. */
export async function changesOf(worktree: Worktree): Promise<Changes> {
	const open = await openWorktree(worktree);
	return changesSince(open, open.record.base);
}

/** From another commit to the present files: see {@link changesOf}. */
export async function changesSince(open: OpenWorktree, since: string): Promise<Changes> {
	return atPresent(open, since, async (place, tree, env) => {
		const isCheckout = place === open.own;
		const head = isCheckout ? await headOf(place) : tree;
		const isDirty = isCheckout && (head === undefined || (await treeOf(place, head)) !== tree);
		return {
			...(await difference(place, since, tree, env)),
			commits: await commitsIn(place, since, head),
			isDirty,
		};
	});
}

/** Takes the present files as a tree, or else the end of the branch, or else `since`. */
async function atPresent<T>(
	open: OpenWorktree,
	since: string,
	use: (place: GitPlace, tree: string, env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
	const { parent, record } = open;
	const atTip = async () => use(parent, (await tipOf(parent, record.branch)) ?? since, {});
	return withWork(open, true, (own, { tree, env }) => use(own, tree, env), atTip);
}

/** A changed file's text in the base and now, and what git says of the difference. */
export interface FileDifference {
	file: ChangedFile;
	/** Empty where there was no file. */
	before: string;
	after: string;
	/** A unified diff, from its first place on. Empty for a binary file, and for one that has only another name or mode. */
	diff: string;
}

/**
 * The change of one file, from the base to the present.
 * @param largest in bytes, of either text
 * @returns `undefined` if the file has not changed; `too-large` without looking at its text
 */
export async function fileDifference(
	worktree: Worktree,
	path: string,
	largest: number,
): Promise<FileDifference | 'too-large' | undefined> {
	const open = await openWorktree(worktree);
	const { base } = open.record;
	return atPresent(open, base, async (place, tree, env) => {
		const file = (await difference(place, base, tree, env)).files.find(each => each.path === path);
		if (!file) return undefined;
		const paths = [file.before ?? path, path];
		const objects = [`${base}:${paths[0]}`, `${tree}:${path}`];
		const sizes = await Promise.all(objects.map(object => sizeOf(place, object, env)));
		if (sizes.some(size => size > largest)) return 'too-large';
		const [before = '', after = ''] = await Promise.all(objects.map(object => blob(place, object, env)));
		const args = [
			...DIFF_TREE,
			'--patch',
			'--find-renames',
			base,
			tree,
			'--',
			...paths.map(each => `:(literal)${each}`),
		];
		const text = (await git(place, args, { env })).stdout.toString('utf8');
		const begin = text.search(/^@@ /m);
		return { file, before, after, diff: begin < 0 ? '' : text.slice(begin) };
	});
}

/** The size of a file in a tree, in bytes; 0 if there is none. */
async function sizeOf(place: GitPlace, object: string, env: Readonly<Record<string, string>>): Promise<number> {
	return Number((await gitLine(place, ['cat-file', '-s', object], { env, answers: [1, 128] })) ?? 0);
}

/** Empty if there is none. */
async function blob(place: GitPlace, object: string, env: Readonly<Record<string, string>>): Promise<string> {
	return (await git(place, ['cat-file', 'blob', object], { env, answers: [128] })).stdout.toString('utf8');
}

/** A file as it was in the base, in its form on disk; `undefined` if there was none. */
export async function fileAtBase(worktree: Worktree, path: string): Promise<Buffer | undefined> {
	const { own, parent, record } = await openWorktree(worktree);
	return fileIn(own ?? parent, record.base, path);
}

/** A file of a commit or a tree, in its form on disk; `undefined` if there is none. */
export async function fileIn(place: GitPlace, tree: string, path: string): Promise<Buffer | undefined> {
	// Git would take it for a path relative to its folder, which is no path of a tree.
	if (path === '' || path.split('/').some(part => ['', '.', '..'].includes(part))) return undefined;
	const object = `${tree}:${path}`;
	const id = await gitLine(place, ['rev-parse', '--verify', '--quiet', object]);
	if (id === undefined) return undefined;
	// The commit of a submodule is not in this repository.
	const type = await gitLine(place, ['cat-file', '-t', id], { answers: [1, 128] });
	return type === 'blob' ? (await git(place, ['cat-file', '--filters', object])).stdout : undefined;
}

/**
 * Between two commits or trees.
 * @param below a folder of the checkout: only its files count, and the paths begin there
 */
export async function difference(
	place: GitPlace,
	before: string,
	after: string,
	env: Readonly<Record<string, string>> = {},
	below = '',
): Promise<Difference> {
	const relative = below === '' ? [] : [`--relative=${below}/`];
	const args = [...DIFF_TREE, '--raw', '--numstat', '--find-renames', ...relative, before, after];
	const { files, links } = changedFiles(cutAtZeros((await git(place, args, { env })).stdout));
	const targets = await targetsOf(place, [...new Set(links.map(([, object]) => object))].slice(0, MOST_LINKS), env);
	for (const [file, object] of links) file.link = targets.get(object) ?? '\u2026';
	const sum = (count: keyof ChangedLines) => files.reduce((all, { lines }) => all + (lines?.[count] ?? 0), 0);
	return { files, insertions: sum('insertions'), deletions: sum('deletions') };
}

/** Where links lead, by their objects. */
async function targetsOf(
	place: GitPlace,
	objects: readonly string[],
	env: Readonly<Record<string, string>>,
): Promise<Map<string, string>> {
	if (objects.length === 0) return new Map();
	const read = (how: string, names: readonly string[]) =>
		git(place, ['cat-file', how], { env, input: names.map(name => `${name}\n`).join('') });
	const sizes = (await read('--batch-check=%(objectname) %(objectsize)', objects)).stdout.toString('latin1');
	const short = sizes
		.split('\n')
		.map(line => line.split(' '))
		.filter(([, size]) => Number(size) <= LONGEST_LINK);
	const { stdout } = await read(
		'--batch',
		short.map(([name = '']) => name),
	);
	const targets = new Map<string, string>();
	let at = 0;
	for (const [name = '', size] of short) {
		// A line, the content, and a newline.
		const begin = stdout.indexOf('\n', at) + 1;
		const end = begin + Number(size);
		targets.set(name, stdout.toString('utf8', begin, end));
		at = end + 1;
	}
	return targets;
}

async function commitsIn(place: GitPlace, base: string, head: string | undefined): Promise<number> {
	return head === undefined ? 0 : Number(await gitAnswer(place, ['rev-list', '--count', `${base}..${head}`]));
}

/**
 * `--raw --numstat -z`. First `:`, modes, objects and a letter for each file, then one path, or two of a rename. After all of these, two
 * numbers and a path for each file, or no path there and then two of a rename. Links come with the object that says where they lead.
 */
function changedFiles(parts: readonly string[]): { files: ChangedFile[]; links: [ChangedFile, string][] } {
	const files = new Map<string, ChangedFile>();
	const links: [ChangedFile, string][] = [];
	const rest = parts[Symbol.iterator]();
	for (const entry of rest) {
		if (entry.startsWith(':')) {
			const letter = entry.slice(entry.lastIndexOf(' ') + 1);
			const path = rest.next().value;
			if (path === undefined) break;
			const renamed = letter.startsWith('R') ? rest.next().value : undefined;
			const file: ChangedFile =
				renamed === undefined
					? { path, status: statusFor(letter) }
					: { path: renamed, before: path, status: 'renamed' };
			files.set(file.path, file);
			const [, mode, , object = ''] = entry.split(' ');
			if (mode === '120000') links.push([file, object]);
			continue;
		}
		const [, insertions, deletions, own] = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(entry) ?? [];
		const path = own === '' ? [rest.next().value, rest.next().value][1] : own;
		const file = files.get(path ?? '');
		// `-` for a binary file.
		if (file && insertions !== '-') file.lines = { insertions: Number(insertions), deletions: Number(deletions) };
	}
	return { files: [...files.values()], links };
}

function statusFor(letter: string): ChangedFile['status'] {
	if (letter === 'A') return 'added';
	return letter === 'D' ? 'deleted' : 'modified';
}
