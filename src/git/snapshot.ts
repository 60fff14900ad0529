import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { uniqueHex } from '../base/unique.ts';
import { git, gitList, type GitPlace } from './git.ts';
import { headOf, withWorkingTree } from './gitTree.ts';
import { checkoutAt } from './homeCheckout.ts';
import { difference, fileIn, type Difference } from './worktreeChanges.ts';

/** The files of a folder at one time, as a tree in its repository. */
export interface Snapshot {
	/** Top folder of the checkout. */
	repository: string;
	tree: string;
	/** Keeps the tree. No branch or log shows it, because it leads to no commit. */
	ref: string;
}

/** How long a person who starts a task waits for it at most. */
const LONGEST_MS = 5000;

/** Nobody waits for a look as for a start. */
const LONGEST_LOOK_MS = 60_000;

/** Untracked files are read whole. More of them than this, or of more bytes, are no source code. */
const MOST_UNTRACKED = 5000;
const MOST_UNTRACKED_BYTES = 100 * 1024 * 1024;

/**
 * Takes the files of a folder as they are, tracked or not, but not the ignored ones. Git keeps them, also through a garbage collection. The
 * user's index, files, stash and branches stay as they are.
 * @param note is called before git keeps them: a kill must leave no ref that nobody knows
 * @throws NancyError if there is no commit, if it takes too long, or for a repository that {@link checkoutAt} refuses
 */
export async function takeSnapshot(
	folder: string,
	note: (snapshot: Snapshot) => Promise<void>,
	longestMs = LONGEST_MS,
): Promise<void> {
	const { checkout, below } = await partOf(folder, longestMs);
	if ((await headOf(checkout)) === undefined)
		throw new NancyError('git', phrase`${checkout.folder} has no commit yet`);
	await refuseMany(checkout, below);
	const tree = await withWorkingTree(checkout, working => Promise.resolve(working.tree), belowOf(below));
	const snapshot = { repository: checkout.folder, tree, ref: `refs/nancy/snapshots/${uniqueHex(16)}` };
	await note(snapshot);
	await git(checkout, ['update-ref', snapshot.ref, snapshot.tree, '']);
}

/** Lets git remove it. Does nothing if git keeps it no more, or if the repository is gone. */
export async function dropSnapshot({ repository, ref }: Snapshot, longestMs = LONGEST_MS): Promise<void> {
	if (!existsSync(join(repository, '.git'))) return;
	const checkout = await checkoutAt(repository, Date.now() + longestMs);
	await git(checkout, ['update-ref', '-d', ref]);
}

/**
 * From a snapshot of the folder to its present files. Paths are relative to the folder. Nothing is stored in the repository.
 * @throws NancyError also if there are by now more files than {@link takeSnapshot} takes
 */
export async function changesSinceSnapshot(
	folder: string,
	snapshot: Snapshot,
	longestMs = LONGEST_LOOK_MS,
): Promise<Difference> {
	const { checkout, below } = await partOf(folder, longestMs, snapshot);
	await refuseMany(checkout, below);
	return withWorkingTree(checkout, ({ tree, env }) => difference(checkout, snapshot.tree, tree, env, below), {
		isLookInto: checkout.common,
		known: snapshot.tree,
		...belowOf(below),
	});
}

/** The same from a commit of the checkout. @throws NancyError as {@link changesSinceSnapshot} does, and if git has no such commit */
export async function changesSinceCommit(folder: string, commit: string, longestMs: number): Promise<Difference> {
	const { checkout, below } = await partOf(folder, longestMs);
	await refuseMany(checkout, below);
	return withWorkingTree(checkout, ({ tree, env }) => difference(checkout, commit, tree, env, below), {
		isLookInto: checkout.common,
		...belowOf(below),
	});
}

/**
 * A file of the snapshot, in its form on disk; `undefined` if there was none.
 * @param path relative to the folder, with `/`
 */
export async function fileInSnapshot(folder: string, snapshot: Snapshot, path: string): Promise<Buffer | undefined> {
	const { checkout, below } = await partOf(folder, LONGEST_LOOK_MS, snapshot);
	return fileIn(checkout, snapshot.tree, below === '' ? path : `${below}/${path}`);
}

interface Part {
	checkout: GitPlace;
	/** The path of the folder in the checkout, with `/`; empty for the top folder. */
	below: string;
}

const belowOf = (below: string) => (below === '' ? {} : { below });

/**
 * @param longestMs for all that is done there, from the first question on
 * @param snapshot must be of the same checkout
 * @throws NancyError `git` if the folder is in another checkout by now
 */
async function partOf(folder: string, longestMs: number, snapshot?: Snapshot): Promise<Part> {
	const checkout = await checkoutAt(folder, Date.now() + longestMs);
	if (snapshot && snapshot.repository !== checkout.folder)
		throw new NancyError('git', phrase`${folder} is no part of the repository ${snapshot.repository} any more`);
	const below = relative(realpathSync(checkout.folder), realpathSync(folder));
	return { checkout, below: below.replaceAll(sep, '/') };
}

/** A folder of packages or data that nobody has told git to ignore would fill the repository. */
async function refuseMany(place: GitPlace, below: string): Promise<void> {
	const list = ['ls-files', '--others', '--exclude-standard', '-z', '--', `:(literal)${below || '.'}`];
	const files = await gitList(place, list);
	const few = files.slice(0, MOST_UNTRACKED);
	const sizes = few.map(file => lstatSync(join(place.folder, file), { throwIfNoEntry: false })?.size ?? 0);
	if (files.length > few.length || sizes.reduce((sum, size) => sum + size, 0) > MOST_UNTRACKED_BYTES)
		throw new NancyError('git', phrase`too many files in ${place.folder} are neither tracked nor ignored`);
}
