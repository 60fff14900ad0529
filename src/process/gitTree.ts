import { lstatSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasErrno, NancyError } from '../base/errors.ts';
import { git, gitAnswer, gitLine, gitList, OWN_IDENTITY, type GitPlace } from './git.ts';

/** The files of a checkout as they are now, as a tree of git. */
export interface WorkingTree {
	tree: string;
	/** Repositories inside the checkout, which a tree cannot hold; with `/` at the end. */
	nested: string[];
	/** Variables with which git sees the index that the tree was made from, and not the user's. */
	env: Readonly<Record<string, string>>;
}

export interface TreeOptions {
	/** Only a look: what is not stored in the repository yet goes to a folder that is removed again. */
	isLook?: boolean;
	/** Takes what is staged, for a checkout whose folder is gone. */
	isStagedOnly?: boolean;
}

/** Files of a working tree that comes and goes under our hands are looked at again. */
const TRIES = 3;

/**
 * Makes a tree of everything that git does not ignore in a checkout, through an index of its own: the user's index, stash and
 * files stay as they are. The index is there while `use` runs.
 */
export async function withWorkingTree<T>(
	place: GitPlace,
	use: (working: WorkingTree) => Promise<T>,
	{ isLook = false, isStagedOnly = false }: TreeOptions = {},
): Promise<T> {
	const temporary = await mkdtemp(join(tmpdir(), 'nancy-git-'));
	try {
		const env: Record<string, string> = { GIT_INDEX_FILE: join(temporary, 'index') };
		if (isLook) env['GIT_OBJECT_DIRECTORY'] = await borrowedObjects(place, join(temporary, 'objects'));
		const isThere = await copyIndex(place, join(temporary, 'index'));
		if (!isThere && (await headOf(place)) !== undefined) await git(place, ['read-tree', 'HEAD'], { env });
		const nested = isStagedOnly ? [] : await addAll(place, env);
		return await use({ tree: await gitAnswer(place, ['write-tree'], { env }), nested, env });
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

/** A commit of Nancy's own. */
export function commitTree(
	place: GitPlace,
	tree: string,
	parents: readonly string[],
	message: string,
	identity: Readonly<Record<string, string>> = OWN_IDENTITY,
): Promise<string> {
	const args = ['commit-tree', tree, ...parents.flatMap(parent => ['-p', parent]), '-F', '-'];
	return gitAnswer(place, args, { env: identity, input: message });
}

/** The commit that is checked out; `undefined` before the first one. */
export function headOf(place: GitPlace): Promise<string | undefined> {
	return gitLine(place, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
}

export function treeOf(place: GitPlace, commit: string): Promise<string> {
	return gitAnswer(place, ['rev-parse', '--verify', `${commit}^{tree}`]);
}

/** Paths that differ between two trees. */
export function differingFiles(
	place: GitPlace,
	before: string,
	after: string,
	env: Readonly<Record<string, string>> = {},
): Promise<string[]> {
	return gitList(place, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', before, after], { env });
}

async function addAll(place: GitPlace, env: Readonly<Record<string, string>>): Promise<string[]> {
	await lookAtEverything(place, env);
	for (let tries = 1; ; tries++) {
		const untracked = await gitList(place, ['ls-files', '--others', '--exclude-standard', '-z'], { env });
		const nested = untracked.filter(file => file.endsWith('/'));
		const pathspecs = ['.', ...nested.map(file => `:(exclude,literal)${file.slice(0, -1)}`)];
		try {
			await git(place, ['add', '--all', '--sparse', '--pathspec-from-file=-', '--pathspec-file-nul'], {
				env,
				input: pathspecs.join('\0'),
			});
			return nested;
		} catch (error) {
			if (tries === TRIES || !(error instanceof NancyError)) throw error;
		}
	}
}

/**
 * Git can be told to take tracked files for unchanged (`--assume-unchanged`, `--skip-worktree`), and to leave out what a sparse checkout
 * does not have: changes to such files would be in no tree. Those that are there count as they are.
 */
async function lookAtEverything(place: GitPlace, env: Readonly<Record<string, string>>): Promise<void> {
	const marked: Readonly<Record<string, RegExp>> = { '--no-skip-worktree': /^S/i, '--no-assume-unchanged': /^[a-z]/ };
	const listed = await gitList(place, ['ls-files', '-v', '-z'], { env });
	const flagged = listed.filter(entry => !entry.startsWith('H '));
	const there = flagged.filter(entry => lstatSync(join(place.folder, entry.slice(2)), { throwIfNoEntry: false }));
	for (const [option, tag] of Object.entries(marked)) {
		const files = there.filter(entry => tag.test(entry)).map(entry => entry.slice(2));
		if (files.length > 0)
			await git(place, ['update-index', option, '-z', '--stdin'], { env, input: files.join('\0') });
	}
}

/** The checkout's own index, which knows what has not changed; `false` when there is none. */
async function copyIndex(place: GitPlace, to: string): Promise<boolean> {
	const gitDir = await gitAnswer(place, ['rev-parse', '--absolute-git-dir']);
	const index = join(gitDir, 'index');
	try {
		const { mtimeMs } = await stat(index);
		await copyFile(index, to);
		// Git takes a file for unchanged that is older than the index: a copy must not look newer than what was copied.
		const seconds = Math.floor(mtimeMs / 1000);
		await utimes(to, seconds, seconds);
		return true;
	} catch (error) {
		if (!hasErrno(error, 'ENOENT')) throw error;
		await rm(to, { force: true });
		return false;
	}
}

/** A store for new objects that finds the repository's own. */
async function borrowedObjects(place: GitPlace, folder: string): Promise<string> {
	const path = await gitLine(place, ['rev-parse', '--path-format=absolute', '--git-path', 'objects']);
	const quoted = (path ?? '').replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
	await mkdir(join(folder, 'info'), { recursive: true });
	await writeFile(join(folder, 'info', 'alternates'), `"${quoted}"\n`);
	return folder;
}
