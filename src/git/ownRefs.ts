import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NancyError } from '../base/errors.ts';
import { isInside } from '../base/inside.ts';
import { realOr } from '../base/realPath.ts';
import { HeldFolder, namedError } from '../core/files/heldFolder.ts';
import { readUnsharedFileSync } from '../core/files/plainFile.ts';
import { git, type GitPlace } from './git.ts';
import { gitDirAt } from './requireOwnGit.ts';

/** In bytes. */
const LONGEST_LOOSE = 64 * 1024;
/** In bytes: some million refs. */
const LONGEST_PACKED = 512 * 1024 * 1024;

const OBJECT = /^[0-9a-f]{40,64}$/;

/** How many refs may name another one. Git's own limit. */
const LONGEST_CHAIN = 5;

/** Refs that each checkout has for itself (git's own Documentation/gitrepository-layout). */
const PER_CHECKOUT = /^(?:HEAD$|refs\/(?:worktree|bisect|rewritten)\/)/;

/** No other file of git's folder, and none outside. */
const REF = /^(?:HEAD|refs(?:\/(?!\.)[^/\0\\]+)+)$/;

/** What HEAD says where refs are no files (git's own Documentation/technical/reftable). */
const IN_TABLES = 'refs/heads/.invalid';

/**
 * The commits at some refs, in their order; `undefined` for a missing one. Nancy reads the files of refs herself. Git would follow a link,
 * or a `commondir`, that an agent's program has put there since the checkout was proven, and take another repository's commit. Only where
 * refs are in tables, git is asked.
 * @throws NancyError `bad-file` for a link, or a file with a second name
 */
export async function commitsAt(place: GitPlace, refs: readonly string[]): Promise<(string | undefined)[]> {
	const isInTables = named(looseRef(place, 'HEAD')) === IN_TABLES;
	const objects = refs.map(ref => (isInTables ? ref : objectAt(place, ref)));
	const input = objects.filter(object => object !== undefined).map(object => `${object}^{commit}\n`);
	if (input.length === 0) return objects;
	const { stdout } = await git(place, ['cat-file', '--batch-check=%(objectname)'], { input: input.join('') });
	const lines = stdout.toString('utf8').split('\n').values();
	return objects
		.map(object => (object === undefined ? undefined : lines.next().value))
		.map(line => (line !== undefined && OBJECT.test(line) ? line : undefined));
}

/** The refs in some folders of refs, in the order of their names, with their commits. One that names no commit is left out. */
export async function refsBelow(
	place: GitPlace,
	...folders: readonly string[]
): Promise<{ ref: string; commit: string }[]> {
	const { stdout } = await git(place, ['for-each-ref', '--format=%(refname)', ...folders]);
	const refs = stdout.toString('utf8').split('\n').slice(0, -1);
	const commits = await commitsAt(place, refs);
	return refs.flatMap((ref, at) => {
		const commit = commits[at];
		return commit === undefined ? [] : [{ ref, commit }];
	});
}

/** All of the changes, or none: lines for `update-ref --stdin`. */
export async function changeRefs(place: GitPlace, changes: readonly string[]): Promise<void> {
	if (changes.length > 0)
		await git(place, ['update-ref', '--stdin'], { input: changes.map(line => `${line}\n`).join('') });
}

/**
 * The commit that a submodule is at. Git would also read a repository elsewhere, to which an agent has led the submodule's `.git`. So it
 * would tell the agent a commit's hash.
 * @param submodule its path in the checkout
 * @returns `undefined` if it has none, and for a link in its folder of git. Also if that folder is neither in the checkout nor in the
 * checkout's own folder of git
 */
export function commitOfSubmodule({ folder, common }: GitPlace, submodule: string): string | undefined {
	try {
		const gitDir = gitDirAt(join(folder, submodule, '.git'));
		if (gitDir === undefined || ![folder, common].some(own => isInside(realOr(own), gitDir))) return undefined;
		return objectAt({ folder: join(folder, submodule), gitDir, common: gitDir }, 'HEAD');
	} catch (error) {
		if (error instanceof NancyError) return undefined;
		throw error;
	}
}

function objectAt(place: GitPlace, ref: string, chain = 0): string | undefined {
	if (!REF.test(ref) || chain > LONGEST_CHAIN) return undefined;
	const loose = looseRef(place, ref);
	const next = named(loose);
	if (next !== undefined) return objectAt(place, next, chain + 1);
	const object = loose?.trim() ?? packedRef(place, ref);
	return object !== undefined && OBJECT.test(object) ? object : undefined;
}

/** The ref that a symbolic one names. */
const named = (loose: string | undefined) => /^ref:\s*(\S+)\s*$/.exec(loose ?? '')?.[1];

function looseRef({ gitDir, common }: GitPlace, ref: string): string | undefined {
	const root = PER_CHECKOUT.test(ref) ? gitDir : common;
	const folder = HeldFolder.openBelow(root, dirname(join(root, ref)));
	try {
		const file = folder?.at(basename(ref));
		// Git leaves empty folders of branches such as `a/b`.
		if (file === undefined || lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true) return undefined;
		return readUnsharedFileSync(file, LONGEST_LOOSE)?.toString('utf8');
	} catch (error) {
		throw namedError(error);
	} finally {
		folder?.close();
	}
}

/** The object of a ref, from a line with the object, a space and the ref. */
function packedRef({ common }: GitPlace, ref: string): string | undefined {
	const packed = readUnsharedFileSync(join(common, 'packed-refs'), LONGEST_PACKED);
	const end = packed?.indexOf(` ${ref}\n`) ?? -1;
	return end === -1 ? undefined : packed?.toString('latin1', packed.lastIndexOf('\n', end) + 1, end);
}
