import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTextIfExists } from '../base/atomicFile.ts';
import { NancyError } from '../base/errors.ts';
import type { OnlyThere } from '../core/delegates/batches.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { gitAnswer, gitList, type GitPlace } from './git.ts';
import {
	gitOverWorktrees,
	holdingGitLock,
	MERGED_REF,
	openWorktree,
	refOf,
	tipOf,
	type OpenWorktree,
} from './openWorktree.ts';
import { listed } from './repository.ts';
import { saveWork, workOf } from './saveWork.ts';
import { forget, removeAside, setAside } from './worktreeFolder.ts';

export interface Removal {
	/** `false`: the folder stays, and `says` says why. */
	isRemoved: boolean;
	/** Branches that keep what was only there. */
	kept: string[];
	lost: OnlyThere;
	/** The last commit of the work. When it was discarded, `git branch <name> <commit>` brings it back for some weeks. */
	commit?: string;
	/** What is kept and where, or what was lost, as a sentence. */
	says: string;
}

const NOTHING: OnlyThere = { commits: 0, files: [], nested: [], ignored: [] };

/** For the question before a worktree is removed. Only looks. */
export async function whatWouldBeLost(worktree: Worktree): Promise<OnlyThere> {
	return onlyThere(await openWorktree(worktree));
}

/**
 * Removes a worktree. What is not committed is committed first, and the branch stays while it has what is nowhere else; only
 * with `discard` it goes all the same. May be repeated, also after a kill.
 * @throws NancyError `git` when a person has locked the worktree
 */
export async function removeWorktree(worktree: Worktree, { discard }: { discard: boolean }): Promise<Removal> {
	const { common, name } = await openWorktree(worktree);
	return holdingGitLock(common, name, async () => remove(await openWorktree(worktree), discard));
}

/** What {@link OnlyThere} says, for a question or an answer: `2 commits and 3 uncommitted files`. */
export function inWords({ commits, files, nested }: OnlyThere): string {
	const parts = [
		...(commits > 0 ? [counted(commits, 'commit')] : []),
		...(files.length > 0 ? [counted(files.length, 'uncommitted file')] : []),
		...(nested.length > 0
			? [`${nested.length === 1 ? 'the repository' : 'the repositories'} ${listed(nested)}`]
			: []),
	];
	const last = parts.pop() ?? 'nothing';
	return parts.length > 0 ? `${parts.join(', ')} and ${last}` : last;
}

async function remove(open: OpenWorktree, discard: boolean): Promise<Removal> {
	const { parent, record, own } = open;
	await assertUnlocked(open);
	const only = await onlyThere(open);
	const why = whyItStays(open, only, discard);
	if (why !== undefined) return { isRemoved: false, kept: [], lost: NOTHING, says: why };
	const saved = await saveWork(open);
	const branches = [...new Set([record.branch, ...(saved ? [saved.branch] : [])])];
	const doomed: { branch: string; tip: string }[] = [];
	for (const branch of branches) {
		const tip = await tipOf(parent, branch);
		if (tip !== undefined && (discard || (await unsharedCommits(open, [tip])) === 0)) doomed.push({ branch, tip });
	}
	if (own) {
		await setAside(record.folder);
		await forget(open.common, parent, record.folder);
	}
	await removeAside(record.folder);
	for (const { branch, tip } of doomed) await deleteBranch(open, branch, tip);
	const kept: string[] = [];
	for (const branch of branches) if ((await tipOf(parent, branch)) !== undefined) kept.push(branch);
	return {
		isRemoved: true,
		kept,
		...(saved && { commit: saved.tip }),
		lost: kept.length > 0 ? { ...only, commits: 0, files: [] } : only,
		says: outcome(only, kept, saved && { branch: saved.branch, tip: saved.tip }),
	};
}

function whyItStays({ record, own, isThere }: OpenWorktree, only: OnlyThere, discard: boolean): string | undefined {
	if (isThere && !own)
		return `${record.folder} stays, for git does not know it as a worktree; look through it and remove it`;
	if (only.nested.length === 0 || discard) return undefined;
	return `${record.folder} stays, for it has other repositories inside: ${listed(only.nested)}`;
}

async function onlyThere(open: OpenWorktree): Promise<OnlyThere> {
	const { own, isThere } = open;
	const { tip, head, files, nested } = await workOf(open, true);
	const ends = [tip, head].filter(end => end !== undefined);
	const commits = await unsharedCommits(open, ends);
	if (!own || !isThere) return { ...NOTHING, commits, files };
	return {
		commits,
		files,
		nested: [...nested, ...(await filledSubmodules(own))],
		ignored: await gitList(own, ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']),
	};
}

/** Commits that would go with the worktree: on no other branch, tag or remote, and not applied to the checkout. */
async function unsharedCommits({ parent, own, record }: OpenWorktree, ends: readonly string[]): Promise<number> {
	if (ends.length === 0) return 0;
	const applied = own && (await refOf(own, MERGED_REF));
	const known = [record.base, ...(applied === undefined ? [] : [applied]), 'HEAD'];
	// Neither its own branches nor those of other worktrees: when one that was begun here is removed, it looks after what it has
	// more, and not after what it began with.
	const others = ['--exclude=refs/heads/nancy/*', '--glob=refs/heads'];
	const args = ['rev-list', '--count', ...ends, '--not', ...known, ...others, '--tags', '--remotes'];
	return Number(await gitAnswer(parent, args));
}

/** They may hold commits and changes of their own, which git keeps in the worktree's folder of git and removes with it. */
async function filledSubmodules(own: GitPlace): Promise<string[]> {
	const entries = await gitList(own, ['ls-files', '--stage', '-z']);
	return entries
		.filter(entry => entry.startsWith('160000 '))
		.map(entry => `${entry.slice(entry.indexOf('\t') + 1)}/`)
		.filter(folder => existsSync(join(own.folder, folder, '.git')));
}

/** Git's own lock, by which a person says that a worktree must stay; the one that git sets while it makes one does not count. */
async function assertUnlocked({ own, record }: OpenWorktree): Promise<void> {
	const reason = own && (await readTextIfExists(join(own.gitDir, 'locked')));
	if (reason === undefined || /^initializing\b/.test(reason)) return;
	const why = reason.trim() === '' ? '' : ` (${reason.trim()})`;
	throw new NancyError('git', `${record.folder} is locked${why}; git worktree unlock '${record.folder}' lets it go`);
}

/** Not where it has moved on, or somebody has it checked out. */
async function deleteBranch({ common, parent }: OpenWorktree, branch: string, tip: string): Promise<void> {
	if ((await tipOf(parent, branch)) !== tip) return;
	await gitOverWorktrees(common, parent, ['branch', '--quiet', '-D', branch], { answers: [1] });
}

function outcome(only: OnlyThere, kept: readonly string[], saved: { branch: string; tip: string } | undefined): string {
	const isNothing = only.commits === 0 && only.files.length === 0 && only.nested.length === 0;
	if (kept.length > 0 && isNothing) return `Nothing was lost. Branch ${listed(kept)} stays, for it is in use.`;
	if (kept.length > 0) {
		return `${kept.length === 1 ? 'Branch' : 'Branches'} ${listed(kept)} ${kept.length === 1 ? 'keeps' : 'keep'} ${inWords(only)}.`;
	}
	if (isNothing) return 'Nothing was lost.';
	const back = saved ? ` To get its commits back: git branch ${saved.branch} ${saved.tip}` : '';
	return `Discarded ${inWords(only)}.${back}`;
}

function counted(count: number, what: string): string {
	return `${count} ${what}${count === 1 ? '' : 's'}`;
}
