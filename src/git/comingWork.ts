import { createHash, type Hash } from 'node:crypto';
import { phrase, type Phrase } from '../base/phrase.ts';
import { git, gitAnswer, gitList, type GitPlace } from './git.ts';
import { DIFF_TREE } from './gitTree.ts';
import { listed } from './repository.ts';

/** Why the work of an agent is not merged. */
interface Unfit {
	reason: Phrase;
	/** Files that it is about. */
	conflicts?: string[];
}

/** To read all objects that are merged, in milliseconds. Only a pipe in the place of one takes longer. */
const LONGEST_READ_MS = 30 * 60_000;

/** A file of Nancy's, also where names have no case. */
const OF_NANCY = /(?:^|\/)\.nancy(?:\/|$)/i;

/**
 * Looks at what differs between a base and a tip, which an agent has made.
 * @returns why it must not come into the checkout of a person, if that is so
 */
export async function unfit(place: GitPlace, base: string, tip: string): Promise<Unfit | undefined> {
	const coming = await comingEntries(place, base, tip);
	const own = coming.filter(({ mode, path }) => mode !== FOLDER && OF_NANCY.test(path)).map(({ path }) => path);
	if (own.length > 0)
		return {
			reason: phrase`it would bring files of Nancy's own (${listed(own)}), and Nancy would stop working in the checkout; in the worktree, run
				"git rm -r --cached" with their folder, and commit that`,
			conflicts: own,
		};
	const roots = ['rev-list', '--no-walk=unsorted', '--no-commit-header', '--format=%T', base, tip];
	const names = [...(await gitAnswer(place, roots)).split('\n'), ...coming.flatMap(({ objects }) => objects)];
	const check = new NameCheck();
	await git(place, ['cat-file', '--batch'], {
		input: [...new Set(names)].map(name => `${name}\n`).join(''),
		onOutput: part => check.take(part),
		timeoutMs: LONGEST_READ_MS,
	});
	return check.unfit;
}

/** Modes of git's entries (git's own Documentation/git-fast-import). */
const FOLDER = '040000';
const SUBMODULE = '160000';

/**
 * What a tip has and its base has not: files, and the folders around them. For folders, the objects of both count: a wrong object of the
 * base hides files from a review.
 */
async function comingEntries(
	place: GitPlace,
	base: string,
	tip: string,
): Promise<{ mode: string; objects: string[]; path: string }[]> {
	const parts = await gitList(place, [...DIFF_TREE, '-t', '--raw', '--no-renames', '--diff-filter=d', base, tip]);
	// For each one `:`, two modes, two objects and a letter, then its path.
	return parts.flatMap((entry, at) => {
		if (at % 2 === 1) return [];
		const [before, mode = '', old = '', object = ''] = entry.slice(1).split(' ');
		const objects = [...(before === FOLDER ? [old] : []), ...(mode === SUBMODULE ? [] : [object])];
		return [{ mode, objects, path: parts[at + 1] ?? '' }];
	});
}

/**
 * Compares the names of objects with the hashes of their content, in the output of `cat-file --batch`. Git does not compare them when it
 * reads. A program in a sandbox can write objects, and git would not write the right one any more.
 */
class NameCheck {
	unfit: Unfit | undefined;
	private line = '';
	private name = '';
	/** The hash of the object whose content is read now. */
	private hash: Hash | undefined;
	/** The rest of its content, in bytes. */
	private left = 0;

	/** Parts may be of any length. */
	take(part: Buffer): void {
		for (let at = 0; at < part.length && !this.unfit;) {
			const next = this.hash ? at + Math.min(this.left, part.length - at) : part.indexOf('\n', at) + 1;
			if (!this.hash) {
				this.line += part.toString('latin1', at, next === 0 ? part.length : next - 1);
				if (next === 0) return;
				this.begin();
			} else if (this.left > 0) {
				this.hash.update(part.subarray(at, next));
				this.left -= next - at;
			} else this.end(this.hash);
			// Behind the content stands a newline.
			at = Math.max(next, at + 1);
		}
	}

	/** The line before the content: name, type and size, or `missing` behind the name. */
	private begin(): void {
		const [name = '', type, size] = this.line.split(' ');
		[this.line, this.name, this.left] = ['', name, Number(size)];
		if (type === 'missing')
			this.unfit = {
				reason: phrase`git's object ${name} is not in the repository, and Nancy has git fetch nothing: run "git fetch --refetch --no-filter" there
					first`,
			};
		else this.hash = createHash(name.length === 40 ? 'sha1' : 'sha256').update(`${type} ${size}\0`);
	}

	private end(hash: Hash): void {
		this.hash = undefined;
		if (hash.digest('hex') === this.name) return;
		this.unfit = {
			reason: phrase`git's object ${this.name} has another content than its name says, so a merge would bring other files than a review shows; look for
				the cause: git fsck`,
		};
	}
}
