import type { Worktree } from '../protocol/worktree.ts';
import { cutAtZeros, git, gitAnswer, gitLine, type GitPlace } from './git.ts';
import { DIFF_TREE, headOf, treeOf, withWorkingTree } from './gitTree.ts';
import { openWorktree, tipOf, type OpenWorktree } from './openWorktree.ts';

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
}

export interface Difference extends ChangedLines {
	files: ChangedFile[];
}

export interface Changes extends Difference {
	/** Since the base. */
	commits: number;
	/** Some of it is not committed. */
	isDirty: boolean;
}

/** From the base to the present files, committed or not. For a worktree whose folder is gone, the content of its branch. */
export async function changesOf(worktree: Worktree): Promise<Changes> {
	const open = await openWorktree(worktree);
	return changesSince(open, open.record.base);
}

/** From another commit to the present files: see {@link changesOf}. */
export async function changesSince(
	{ own, parent, common, record, isThere }: OpenWorktree,
	since: string,
): Promise<Changes> {
	if (own && isThere) {
		return withWorkingTree(
			own,
			async ({ tree, env }) => {
				const head = await headOf(own);
				const isDirty = head === undefined || (await treeOf(own, head)) !== tree;
				return {
					...(await difference(own, since, tree, env)),
					commits: await commitsIn(own, since, head),
					isDirty,
				};
			},
			{ isLookInto: common },
		);
	}
	const tip = (await tipOf(parent, record.branch)) ?? since;
	return { ...(await difference(parent, since, tip)), commits: await commitsIn(parent, since, tip), isDirty: false };
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
	const files = changedFiles(cutAtZeros((await git(place, args, { env })).stdout));
	const sum = (count: keyof ChangedLines) => files.reduce((all, { lines }) => all + (lines?.[count] ?? 0), 0);
	return { files, insertions: sum('insertions'), deletions: sum('deletions') };
}

async function commitsIn(place: GitPlace, base: string, head: string | undefined): Promise<number> {
	return head === undefined ? 0 : Number(await gitAnswer(place, ['rev-list', '--count', `${base}..${head}`]));
}

/**
 * `--raw --numstat -z`. First `:`, modes, objects and a letter for each file, then one path, or two of a rename. After all of these, two
 * numbers and a path for each file, or no path there and then two of a rename.
 */
function changedFiles(parts: readonly string[]): ChangedFile[] {
	const files = new Map<string, ChangedFile>();
	const rest = parts[Symbol.iterator]();
	for (const entry of rest) {
		if (entry.startsWith(':')) {
			const letter = entry.slice(entry.lastIndexOf(' ') + 1);
			const path = rest.next().value;
			if (path === undefined) break;
			const renamed = letter.startsWith('R') ? rest.next().value : undefined;
			if (renamed === undefined) files.set(path, { path, status: statusFor(letter) });
			else files.set(renamed, { path: renamed, before: path, status: 'renamed' });
			continue;
		}
		const [, insertions, deletions, own] = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(entry) ?? [];
		const path = own === '' ? [rest.next().value, rest.next().value][1] : own;
		const file = files.get(path ?? '');
		// `-` for a binary file.
		if (file && insertions !== '-') file.lines = { insertions: Number(insertions), deletions: Number(deletions) };
	}
	return [...files.values()];
}

function statusFor(letter: string): ChangedFile['status'] {
	if (letter === 'A') return 'added';
	return letter === 'D' ? 'deleted' : 'modified';
}
