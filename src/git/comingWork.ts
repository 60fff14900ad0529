import { createHash } from 'node:crypto';
import { phrase, type Phrase } from '../base/phrase.ts';
import { git, type GitPlace } from './git.ts';
import { differingFiles } from './gitTree.ts';
import { listed } from './repository.ts';

/** Why commits of an agent are not merged. */
interface Unfit {
	reason: Phrase;
	/** Files that it is about. */
	conflicts?: string[];
}

/** Of objects that are read at once, in bytes. One that is larger is read alone. */
const AT_ONCE = 32 * 1024 * 1024;

/** A file of Nancy's, also where names have no case. */
const OF_NANCY = /(?:^|\/)\.nancy(?:\/|$)/i;

/**
 * Looks at the commits from a base to a tip, which an agent has made.
 * @returns why they must not come into the checkout of a person, if that is so
 */
export async function unfit(place: GitPlace, base: string, tip: string): Promise<Unfit | undefined> {
	const own = (await differingFiles(place, base, tip)).filter(file => OF_NANCY.test(file));
	if (own.length > 0)
		return {
			reason: phrase`it would bring files of Nancy's own (${listed(own)}), and Nancy would stop working in the checkout; in the worktree, run
				"git rm -r --cached" with their folder, and commit that`,
			conflicts: own,
		};
	const forged = await forgedObject(place, base, tip);
	if (forged === undefined) return undefined;
	return {
		reason: phrase`git's object ${forged} has another content than its name says, so a merge would bring other files than a review shows; look for
			the cause: git fsck`,
	};
}

/**
 * The first new object whose name is not the hash of its content. Git does not compare them when it reads. A program in a sandbox can write
 * objects, and git would not write the right one any more.
 */
async function forgedObject(place: GitPlace, base: string, tip: string): Promise<string | undefined> {
	const { stdout } = await git(place, ['rev-list', '--objects', '--no-object-names', tip, `^${base}`]);
	const input = stdout.toString('latin1');
	const sized = await git(place, ['cat-file', '--batch-check=%(objectname) %(objectsize)'], { input });
	let names: string[] = [];
	let bytes = 0;
	for (const line of sized.stdout.toString('latin1').split('\n')) {
		const [name = '', size] = line.split(' ');
		if (names.length > 0 && (name === '' || bytes + Number(size) > AT_ONCE)) {
			const read = await git(place, ['cat-file', '--batch'], { input: names.map(each => `${each}\n`).join('') });
			const forged = firstForged(read.stdout);
			if (forged !== undefined) return forged;
			[names, bytes] = [[], 0];
		}
		names.push(name);
		bytes += Number(size);
	}
	return undefined;
}

/** `cat-file --batch`: name, type and size in a line, then the content with a newline. */
function firstForged(output: Buffer): string | undefined {
	for (let at = 0; at < output.length;) {
		const end = output.indexOf('\n', at);
		const [name = '', type, size] = output.toString('latin1', at, end).split(' ');
		const next = end + 1 + Number(size);
		const content = output.subarray(end + 1, next);
		const hash = createHash(name.length === 40 ? 'sha1' : 'sha256')
			.update(`${type} ${size}\0`)
			.update(content);
		if (hash.digest('hex') !== name) return name;
		at = next + 1;
	}
	return undefined;
}
