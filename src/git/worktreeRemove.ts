import { join } from 'node:path';
import { readTextIfExists } from '../base/atomicFile.ts';
import { NancyError } from '../base/errors.ts';
import { phrase, type Phrase } from '../base/phrase.ts';
import { entriesOf } from '../base/listing.ts';
import type { OnlyThere } from '../core/delegates/batches.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { gitAnswer, gitList, type GitPlace } from './git.ts';
import {
	asItStands,
	gitOverWorktrees,
	holdingGitLock,
	locate,
	openWorktree,
	tipOf,
	type OpenWorktree,
} from './openWorktree.ts';
import { commitsAt } from './ownRefs.ts';
import { listed } from './repository.ts';
import { saveWork, workOf, type Work } from './saveWork.ts';
import { forget, removeAside, setAside } from './worktreeFolder.ts';

export interface Removal {
	/** `false`: the folder stays, and `says` gives the reason. */
	isRemoved: boolean;
	/** Branches that keep the work that was only there. */
	kept: string[];
	lost: OnlyThere;
	/** The last commit of the work. After a discard, `git branch <name> <commit>` restores it for some weeks. */
	commit?: string;
	/** The kept work and its branch, or the lost work, as a sentence. */
	says: Phrase;
}

const NOTHING: OnlyThere = { commits: 0, files: [], nested: [], ignored: [] };

/** For the question before a worktree is removed. Only looks. */
export async function whatWouldBeLost(worktree: Worktree): Promise<OnlyThere> {
	const open = await openWorktree(worktree);
	return onlyThere(open, await workOf(open, true));
}

/**
 * Removes a worktree. First commits the uncommitted changes, and keeps the branch while it holds work that is nowhere else. With `discard`
 * the branch goes all the same. May be repeated, also after a kill.
 * @throws NancyError `git` if a person has locked the worktree
 */
export async function removeWorktree(worktree: Worktree, { discard }: { discard: boolean }): Promise<Removal> {
	const located = await locate(worktree);
	return holdingGitLock(located.common, located.name, async () => remove(await asItStands(located), discard));
}

/** {@link OnlyThere} in words, for a question or an answer: `2 commits and 3 uncommitted files`. */
export function inWords({ commits, files, nested }: OnlyThere): Phrase {
	const parts = [
		...(commits > 0 ? [commits === 1 ? phrase`1 commit` : phrase`${commits} commits`] : []),
		...(files.length > 0
			? [files.length === 1 ? phrase`1 uncommitted file` : phrase`${files.length} uncommitted files`]
			: []),
		...(nested.length > 0
			? [
					nested.length === 1
						? phrase`the repository ${listed(nested)}`
						: phrase`the repositories ${listed(nested)}`,
				]
			: []),
	];
	const last = parts.pop() ?? phrase`nothing`;
	const [first, second] = parts;
	if (!first) return last;
	return second ? phrase`${first}, ${second} and ${last}` : phrase`${first} and ${last}`;
}

async function remove(open: OpenWorktree, discard: boolean): Promise<Removal> {
	const { parent, record, own } = open;
	await assertUnlocked(open);
	const work = await workOf(open, false);
	const only = await onlyThere(open, work);
	const why = whyItStays(open, only, discard);
	if (why !== undefined) return { isRemoved: false, kept: [], lost: NOTHING, says: why };
	const saved = await saveWork(open, work);
	const branches = [...new Set([record.branch, ...(saved ? [saved.branch] : [])])];
	const doomed: { branch: string; tip: string }[] = [];
	for (const { branch, tip } of await tipsOf(parent, branches))
		if (discard || (await unsharedCommits(open, work, [tip])) === 0) doomed.push({ branch, tip });
	if (own) {
		await setAside(record.folder);
		await forget(open.common, parent, record.folder);
	}
	await removeAside(record.folder);
	for (const { branch, tip } of doomed) await deleteBranch(open, branch, tip);
	const kept = (await tipsOf(parent, branches)).map(({ branch }) => branch);
	return {
		isRemoved: true,
		kept,
		...(saved && { commit: saved.tip }),
		lost: kept.length > 0 ? { ...only, commits: 0, files: [] } : only,
		says: outcome(only, kept, saved && { branch: saved.branch, tip: saved.tip }),
	};
}

function whyItStays({ record, own, isThere }: OpenWorktree, only: OnlyThere, discard: boolean): Phrase | undefined {
	if (isThere && !own)
		return phrase`${record.folder} stays, for git does not know it as a worktree; look through it and remove it`;
	if (only.nested.length === 0 || discard) return undefined;
	return phrase`${record.folder} stays, for it has other repositories inside: ${listed(only.nested)}`;
}

/** The existing ones of some branches. */
async function tipsOf(place: GitPlace, branches: readonly string[]): Promise<{ branch: string; tip: string }[]> {
	const tips = await commitsAt(
		place,
		branches.map(branch => `refs/heads/${branch}`),
	);
	return branches.flatMap((branch, index) => {
		const tip = tips[index];
		return tip === undefined ? [] : [{ branch, tip }];
	});
}

async function onlyThere(open: OpenWorktree, work: Work): Promise<OnlyThere> {
	const { own, isThere } = open;
	const { tip, head, files, nested, submodules } = work;
	const ends = [tip, head].filter(end => end !== undefined);
	const commits = await unsharedCommits(open, work, ends);
	if (!own || !isThere) return { ...NOTHING, commits, files };
	const filled: string[] = [];
	for (const folder of submodules) if (await isFilled(own, folder)) filled.push(folder);
	return {
		commits,
		files,
		nested: [...nested, ...filled],
		ignored: await gitList(own, ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']),
	};
}

/** Commits that would be lost with the worktree: on no other branch, tag or remote, and not applied to the checkout. */
async function unsharedCommits(
	{ parent, record }: OpenWorktree,
	{ applied }: Work,
	ends: readonly string[],
): Promise<number> {
	if (ends.length === 0) return 0;
	const known = [record.base, ...(applied === undefined ? [] : [applied]), 'HEAD'];
	// All refs but its own branches and those of other worktrees. A worktree that began here keeps only its own additional commits when it
	// is removed, not those it began with.
	const others = ['--exclude=refs/heads/nancy/*', '--glob=refs/heads'];
	const args = ['rev-list', '--count', ...ends, '--not', ...known, ...others, '--tags', '--remotes'];
	return Number(await gitAnswer(parent, args));
}

/** A submodule may hold commits, changes and files of its own, which no tree of the worktree has. */
async function isFilled(own: GitPlace, submodule: string): Promise<boolean> {
	return (await entriesOf(join(own.folder, submodule))).length > 0;
}

/** Git's own lock, by which a person says that a worktree must stay. The lock that git sets while it makes a worktree does not count. */
async function assertUnlocked({ own, record }: OpenWorktree): Promise<void> {
	const reason = own && (await readTextIfExists(join(own.gitDir, 'locked')));
	if (reason === undefined || /^initializing\b/.test(reason)) return;
	const why = reason.trim() === '' ? '' : ` (${reason.trim()})`;
	throw new NancyError(
		'git',
		phrase`${record.folder} is locked${why}; unlock it with: git worktree unlock '${record.folder}'`,
	);
}

/** Not if it has moved on, or somebody has it checked out. */
async function deleteBranch({ common, parent }: OpenWorktree, branch: string, tip: string): Promise<void> {
	if ((await tipOf(parent, branch)) !== tip) return;
	await gitOverWorktrees(common, parent, ['branch', '--quiet', '-D', branch], { answers: [1] });
}

function outcome(only: OnlyThere, kept: readonly string[], saved: { branch: string; tip: string } | undefined): Phrase {
	const isNothing = only.commits === 0 && only.files.length === 0 && only.nested.length === 0;
	if (kept.length > 0 && isNothing) return phrase`Nothing was lost. Branch ${listed(kept)} stays, for it is in use.`;
	if (kept.length > 0) {
		return kept.length === 1
			? phrase`Branch ${listed(kept)} keeps ${inWords(only)}.`
			: phrase`Branches ${listed(kept)} keep ${inWords(only)}.`;
	}
	if (isNothing) return phrase`Nothing was lost.`;
	return saved
		? phrase`Discarded ${inWords(only)}. To get its commits back: git branch ${saved.branch} ${saved.tip}`
		: phrase`Discarded ${inWords(only)}.`;
}
