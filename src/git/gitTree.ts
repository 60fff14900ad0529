import { lstatSync } from 'node:fs';
import { copyFile, lstat, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hasCode, hasErrno, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { realOr } from '../base/realPath.ts';
import { removeTree } from '../base/removeTree.ts';
import { sha256 } from '../base/sha256.ts';
import { borrowedObjects } from './borrowedObjects.ts';
import { cutAtZeros, git, gitAnswer, gitLine, gitList, type GitPlace } from './git.ts';
import { commitOfSubmodule, commitsAt } from './ownRefs.ts';

/** The present files of a checkout, as a tree of git. */
export interface WorkingTree {
	tree: string;
	/** Repositories inside the checkout, which a tree cannot hold; with `/` at the end. */
	nested: string[];
	/** Folders of submodules, which a tree holds as the name of a commit; with `/` at the end. */
	submodules: string[];
	/** Variables with which git uses the index of the tree, and not the user's. */
	env: Readonly<Record<string, string>>;
}

export interface TreeOptions {
	/** Only a look into the repository with this common folder: new objects go to a folder that is removed again. */
	isLookInto?: string | undefined;
	/** Takes the staged files, for a checkout whose folder is gone. */
	isStagedOnly?: boolean;
	/** Takes only the files below this folder of the checkout. The others are as the user's index has them. */
	below?: string;
	/** Takes the files of this tree that are still there, whether or not git ignores them by now. */
	known?: string;
	/** Reads every file. Otherwise git takes some for unchanged, as the checkout's index says, which an agent can write. */
	isReadAnew?: boolean;
}

/** How the names of temporary folders begin. */
const TEMPORARY = 'nancy-git-';

/** No tree takes that long, in milliseconds. */
const LEFT_MS = 24 * 60 * 60 * 1000;

/** How often a working tree is read again if files come and go meanwhile. */
const TRIES = 3;

/**
 * Makes a tree of all files of a checkout that git does not ignore, through an index of its own. The user's index, stash and files stay
 * unchanged. The index exists while `use` runs.
 */
export async function withWorkingTree<T>(
	place: GitPlace,
	use: (working: WorkingTree) => Promise<T>,
	{ isLookInto, isStagedOnly = false, below = '.', known, isReadAnew = false }: TreeOptions = {},
): Promise<T> {
	await removeLeftovers();
	const temporary = await mkdtemp(join(tmpdir(), TEMPORARY));
	try {
		const env: Record<string, string> = { GIT_INDEX_FILE: join(temporary, 'index') };
		if (isLookInto !== undefined)
			env['GIT_OBJECT_DIRECTORY'] = await borrowedObjects(isLookInto, join(temporary, 'objects'));
		const isThere = await copyIndex(place.gitDir, join(temporary, 'index'));
		const head = isThere ? undefined : await headOf(place);
		if (head !== undefined) await git(place, ['read-tree', head], { env });
		if (isThere && isReadAnew) await forgetLooks(place, env);
		const inside = isStagedOnly ? { nested: [], submodules: [] } : await addAll(place, env, below, known);
		return await use({ tree: await gitAnswer(place, ['write-tree'], { env }), ...inside, env });
	} finally {
		await removeTree(temporary);
	}
}

/** Temporary folders of processes that were killed. They hold copies of files. */
async function removeLeftovers(): Promise<void> {
	const names = await readdir(tmpdir()).catch(() => []);
	for (const name of names.filter(each => each.startsWith(TEMPORARY))) {
		const folder = join(tmpdir(), name);
		// Another user's stays, and so does one that another process removes right now.
		const found = await lstat(folder).catch(() => undefined);
		if (found?.isDirectory() && Date.now() - found.mtimeMs > LEFT_MS)
			await removeTree(folder).catch(() => undefined);
	}
}

/** A commit of Nancy's own. */
export function commitTree(
	place: GitPlace,
	tree: string,
	parents: readonly string[],
	message: string,
	identity: Readonly<Record<string, string>> = {},
): Promise<string> {
	const args = ['commit-tree', tree, ...parents.flatMap(parent => ['-p', parent]), '-F', '-'];
	return gitAnswer(place, args, { env: identity, input: message });
}

/** The commit that is checked out; `undefined` before the first one. */
export async function headOf(place: GitPlace): Promise<string | undefined> {
	const [head] = await commitsAt(place, ['HEAD']);
	return head;
}

export function treeOf(place: GitPlace, commit: string): Promise<string> {
	return gitAnswer(place, ['rev-parse', '--verify', `${commit}^{tree}`]);
}

/**
 * Also shows changes that a repository's own `.gitmodules` says to ignore: another commit of a submodule is work like any other. Runs no
 * program of the settings (`diff.external`, `diff.<name>.command`, `textconv`).
 */
export const DIFF_TREE = [
	'diff-tree',
	'-r',
	'-z',
	'--ignore-submodules=none',
	'--no-ext-diff',
	'--no-textconv',
] as const;

/** Paths that differ between two trees. */
export function differingFiles(
	place: GitPlace,
	before: string,
	after: string,
	env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
	return gitList(place, [...DIFF_TREE, '--name-only', '--no-renames', before, after], { env });
}

/** Paths that differ between two trees: those with one of the letters A, M, D, T, or all of them. */
export async function namesByStatus(
	place: GitPlace,
	before: string,
	after: string,
): Promise<(letter?: string) => string[]> {
	const { stdout } = await git(place, [...DIFF_TREE, '--name-status', '--no-renames', before, after]);
	const parts = cutAtZeros(stdout);
	return letter => parts.filter((_, at) => at % 2 === 1 && (letter === undefined || parts[at - 1] === letter));
}

/** The checked-out branch, as a ref; `undefined` if none is. */
export function branchRef(place: GitPlace): Promise<string | undefined> {
	return gitLine(place, ['symbolic-ref', '--quiet', 'HEAD']);
}

/** A hash of what the checkout's own index has at these paths. */
export async function indexDigest(place: GitPlace, files: readonly string[]): Promise<string> {
	const wanted = new Set(files);
	const entries = await gitList(place, ['ls-files', '--stage', '-z']);
	return sha256(
		...entries.filter(entry => wanted.has(entry.slice(entry.indexOf('\t') + 1))).map(each => `${each}\0`),
	);
}

/** Leaves of an index its entries, without what git has noted of the look of their files. */
async function forgetLooks(place: GitPlace, env: Readonly<Record<string, string>>): Promise<void> {
	const entries = await gitList(place, ['ls-files', '-v', '--stage', '-z'], { env });
	await git(place, ['read-tree', '--empty'], { env });
	const input = entries.map(entry => `${entry.slice(2)}\0`).join('');
	await git(place, ['update-index', '-z', '--index-info'], { env, input });
	await setFlags(place, '', entries.map(entryOf), env);
}

/** What git can be told not to look at, and how `ls-files -v` marks it. */
const FLAGS: Readonly<Record<string, RegExp>> = { 'skip-worktree': /^S/i, 'assume-unchanged': /^[a-z]/ };

/** Each flag where an entry has it, or with `no-` nowhere. */
async function setFlags(
	place: GitPlace,
	not: '' | 'no-',
	entries: readonly Entry[],
	env: WorkingTree['env'],
): Promise<void> {
	for (const [flag, mark] of Object.entries(FLAGS)) {
		const files = entries.filter(({ tag }) => mark.test(tag)).map(({ file }) => file);
		if (files.length > 0)
			await git(place, ['update-index', `--${not}${flag}`, '-z', '--stdin'], { env, input: files.join('\0') });
	}
}

async function addAll(
	place: GitPlace,
	env: Readonly<Record<string, string>>,
	below: string,
	known: string | undefined,
): Promise<Pick<WorkingTree, 'nested' | 'submodules'>> {
	const all = `:(literal)${below}`;
	for (let tries = 1; ; tries++) {
		const list = ['ls-files', '-v', '--stage', '--cached', '--others', '--exclude-standard', '-z', '--', all];
		const listed = (await gitList(place, list, { env })).map(entryOf);
		await lookAtEverything(place, listed, env);
		const nested = listed.filter(({ tag, file }) => tag === '?' && file.endsWith('/')).map(({ file }) => file);
		const submodules = listed.filter(({ mode }) => mode === '160000').map(({ file }) => `${file}/`);
		const pathspecs = [all, ...[...nested, ...submodules].map(file => `:(exclude,literal)${file.slice(0, -1)}`)];
		try {
			const args = ['add', '--all', '--sparse', '--pathspec-from-file=-', '--pathspec-file-nul'];
			const { stderr } = await git(place, args, { env, input: pathspecs.join('\0') });
			// A folder that became one since the list was made. Git would show which commit is checked out there.
			if (stderr.includes('adding embedded git repository'))
				throw new NancyError('busy', phrase`a repository has just been made in ${place.folder}; try again`);
			await addSubmodules(place, submodules, env);
			if (known !== undefined) await addKnown(place, env, { all, known, submodules });
			return { nested, submodules };
		} catch (error) {
			if (tries === TRIES || !hasCode(error, 'git')) throw error;
		}
	}
}

/**
 * Another commit of a submodule, or none any more. Not by `add`, which starts a git in the submodule. An agent can have made a repository
 * there whose settings run programs outside its sandbox. As for git, a submodule of which no commit is known stays as it was.
 */
async function addSubmodules(place: GitPlace, submodules: readonly string[], env: WorkingTree['env']): Promise<void> {
	const folders = submodules.map(folder => folder.slice(0, -1));
	const isFolder = (path: string) =>
		lstatSync(join(place.folder, path), { throwIfNoEntry: false })?.isDirectory() === true;
	const moved = folders.filter(isFolder).flatMap(folder => {
		const commit = commitOfSubmodule(place, folder);
		return commit === undefined ? [] : [`160000 ${commit}\t${folder}\0`];
	});
	if (moved.length > 0) await git(place, ['update-index', '-z', '--index-info'], { env, input: moved.join('') });
	const gone = folders.filter(folder => !isFolder(folder)).join('\0');
	if (gone !== '') await git(place, ['update-index', '--remove', '--replace', '-z', '--stdin'], { env, input: gone });
}

/** Files that `add` has left out: ignored by now, or in a folder that has become a repository. What is a submodule by now has no files. */
async function addKnown(
	place: GitPlace,
	env: Readonly<Record<string, string>>,
	{ all, known, submodules }: { all: string; known: string; submodules: readonly string[] },
): Promise<void> {
	const list = ['diff-index', '--cached', '-z', '--name-only', '--no-renames', '--no-ext-diff', '--diff-filter=D'];
	const left = await gitList(place, [...list, known, '--', all], { env });
	const root = realOr(place.folder);
	const there = left.filter(file => {
		const found = lstatSync(join(root, file), { throwIfNoEntry: false });
		// Git has no file that is behind a link.
		const isOwn = realOr(dirname(join(root, file))) === dirname(join(root, file));
		return isOwn && (found?.isFile() || found?.isSymbolicLink()) && !submodules.some(each => file.startsWith(each));
	});
	if (there.length === 0) return;
	await git(place, ['update-index', '--add', '-z', '--stdin'], {
		env,
		input: there.map(file => `${file}\0`).join(''),
	});
}

/**
 * Git can be told to take tracked files for unchanged (`--assume-unchanged`, `--skip-worktree`), and to leave out files of a sparse
 * checkout. Changes to such files would be in no tree. Present files count with their content.
 */
async function lookAtEverything(place: GitPlace, listed: readonly Entry[], env: WorkingTree['env']): Promise<void> {
	const flagged = listed.filter(({ tag }) => tag !== 'H' && tag !== '?');
	const there = flagged.filter(({ file }) => lstatSync(join(place.folder, file), { throwIfNoEntry: false }));
	await setFlags(place, 'no-', there, env);
}

/** A file that is tracked, or is not (`?`). */
interface Entry {
	tag: string;
	/** The mode of a file that is tracked. */
	mode?: string;
	file: string;
}

/** `ls-files -v --stage`: a letter, then mode, object, stage and after a tab the path. For an untracked file, only the path. */
function entryOf(line: string): Entry {
	const tag = line.slice(0, 1);
	if (tag === '?') return { tag, file: line.slice(2) };
	return { tag, mode: line.slice(2, 8), file: line.slice(line.indexOf('\t') + 1) };
}

/** The checkout's own index, which knows the unchanged files; `false` if there is none. */
async function copyIndex(gitDir: string, to: string): Promise<boolean> {
	const index = join(gitDir, 'index');
	try {
		const { mtimeMs } = await stat(index);
		await copyFile(index, to);
		// Git takes a file for unchanged that is older than the index. So a copy must not look newer than its original.
		const seconds = Math.floor(mtimeMs / 1000);
		await utimes(to, seconds, seconds);
		return true;
	} catch (error) {
		if (!hasErrno(error, 'ENOENT')) throw error;
		await rm(to, { force: true });
		return false;
	}
}
