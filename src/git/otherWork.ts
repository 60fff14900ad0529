import { git, type GitPlace } from './git.ts';
import { commitTree, treeOf } from './gitTree.ts';
import { refOf } from './openWorktree.ts';
import { changeRefs, refsBelow } from './ownRefs.ts';
import { baseRef, MOST_OTHERS, otherName, othersRef } from './remoteRefs.ts';

/** A branch, a tag or an entry of the stash. */
interface Other {
	name: string;
	commit: string;
}

/**
 * On the machine that runs a job: names the agent's other branches, tags and stashes for `fetchWork`, as far as they have commits of their own.
 * May be repeated.
 * @param place in the job's own repository
 * @param tip its work
 */
export async function nameOtherWork(place: GitPlace, id: string, tip: string): Promise<void> {
	const found = await otherWork(place, [tip, await refOf(place, baseRef(id))]);
	const named = found.slice(0, MOST_OTHERS);
	const rest = await asOne(place, tip, found.slice(MOST_OTHERS));
	if (rest !== undefined) named.push({ name: 'rest', commit: rest });
	const wanted = new Map(
		named.map(({ name, commit }, at) => [`${othersRef(id)}/${otherName(at + 1, name)}`, commit]),
	);
	const earlier = (await refsBelow(place, othersRef(id))).filter(({ ref }) => !wanted.has(ref));
	await changeRefs(place, [
		...earlier.map(({ ref }) => `delete ${ref}`),
		...[...wanted].map(([ref, commit]) => `update ${ref} ${commit}`),
	]);
}

/** @param known commits whose history is none of it */
async function otherWork(place: GitPlace, known: readonly (string | undefined)[]): Promise<Other[]> {
	const found: Other[] = [
		...(await refsBelow(place, HEADS)).map(({ ref, commit }) => ({ name: ref.slice(HEADS.length), commit })),
		...(await refsBelow(place, TAGS)).map(({ ref, commit }) => ({ name: `tag-${ref.slice(TAGS.length)}`, commit })),
		...(await stashed(place)).map(commit => ({ name: 'stash', commit })),
	];
	if (found.length === 0) return [];
	const input = [
		...known.flatMap(commit => commit ?? []).map(commit => `^${commit}`),
		...found.map(each => each.commit),
	];
	const { stdout } = await git(place, ['rev-list', '--stdin'], { input: input.map(line => `${line}\n`).join('') });
	const own = new Set(stdout.toString('utf8').split('\n'));
	return found.filter(({ commit }) => own.has(commit));
}

const HEADS = 'refs/heads/';
const TAGS = 'refs/tags/';
const STASH = 'refs/stash';

/** The entries of the stash, the last one first. All but that are in its log alone. */
async function stashed(place: GitPlace): Promise<string[]> {
	const last = await refOf(place, STASH);
	if (last === undefined) return [];
	// It may have no log.
	const { stdout } = await git(place, ['rev-list', '--walk-reflogs', STASH], { answers: [128] });
	return [...new Set([last, ...stdout.toString('utf8').split('\n').slice(0, -1)])];
}

/** So many parents one commit gets: they are a command line. */
const MOST_PARENTS = 1000;

/** A commit that holds all of them, and names them in its message. The same ones give the same commit. */
async function asOne(place: GitPlace, tip: string, others: readonly Other[]): Promise<string | undefined> {
	if (others.length === 0) return undefined;
	const tree = await treeOf(place, tip);
	const when = { GIT_AUTHOR_DATE: '@0 +0000', GIT_COMMITTER_DATE: '@0 +0000' };
	let last: string | undefined;
	for (let at = 0; at < others.length; at += MOST_PARENTS) {
		const some = others.slice(at, at + MOST_PARENTS);
		const parents = new Set([...(last === undefined ? [] : [last]), ...some.map(({ commit }) => commit)]);
		const names = some.map(({ name, commit }) => `${commit} ${name}\n`).join('');
		last = await commitTree(place, tree, [...parents], `nancy: more branches, tags and stashes\n\n${names}`, when);
	}
	return last;
}
