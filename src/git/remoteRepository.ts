import { isNancyError, NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import type { Worktree } from '../protocol/worktree.ts';
import { git, gitAnswer, type GitPlace } from './git.ts';
import { headOf } from './gitTree.ts';
import { holdingGitLock, openWorktree, type OpenWorktree } from './openWorktree.ts';
import { changeRefs, refsBelow } from './ownRefs.ts';
import { arrivedOthersRef, arrivedRef, baseRef, MOST_OTHERS, nameOfOther, othersRef, resultRef } from './remoteRefs.ts';
import { besides, isAncestor } from './saveWork.ts';

/** The way to one repository on another machine. */
export interface Transport {
	/** `GIT_SSH_COMMAND` of a program there. It alone decides about machine and repository. It says {@link LOST} if that is why it failed. */
	command(program: 'receive-pack' | 'upload-pack'): string;
	/** In milliseconds since 1970. */
	deadlineMs: number;
	/** Ends a call with an error. */
	signal?: AbortSignal | undefined;
}

/**
 * Git only splits it: see {@link Transport}. Nobody can know it beforehand, and it stands for itself. Otherwise settings of the repository could
 * make it a helper's (`remote.<url>.vcs`, `url.<base>.insteadOf`). As the protocol must be `ssh`, git would run `alias.remote-ssh`.
 */
function anyUrl(): string {
	return `ssh://${crypto.randomUUID()}/repository`;
}

function variables(
	transport: Transport,
	program: Parameters<Transport['command']>[0],
	url: string,
): Record<string, string> {
	const settings = [
		// What comes back was made on a machine that is not trusted.
		['fetch.fsckObjects', 'true'],
		// The longest one counts.
		[`url.${url}.insteadOf`, url],
		[`url.${url}.pushInsteadOf`, url],
	];
	return {
		GIT_SSH_COMMAND: transport.command(program),
		// Without it, git asks the program which kind of ssh it is.
		GIT_SSH_VARIANT: 'ssh',
		GIT_ALLOW_PROTOCOL: 'ssh',
		GIT_CONFIG_COUNT: `${settings.length}`,
		...Object.fromEntries(
			settings.flatMap(([key, value], at) => [
				[`GIT_CONFIG_KEY_${at}`, key],
				[`GIT_CONFIG_VALUE_${at}`, value],
			]),
		),
	};
}

/** Sends the commit that a worktree begins with. A repeat sends nothing. */
export async function sendBase(worktree: Worktree, id: string, transport: Transport): Promise<void> {
	const { parent } = await openWorktree(worktree);
	const place = { ...parent, deadlineMs: transport.deadlineMs };
	const closed = ['--quiet', '--no-verify', '--no-follow-tags', '--no-signed', '--recurse-submodules=no'];
	const url = anyUrl();
	await git(place, ['push', ...closed, url, `+${worktree.base}:${baseRef(id)}`], {
		env: variables(transport, 'receive-pack', url),
		signal: transport.signal,
	});
}

/** The work is here, on a branch of its own. Says which one, and why. */
export class WorkBesides extends NancyError {
	/** See {@link fetchWork}. */
	others: readonly string[] = [];
}

/**
 * Fetches the work of a delegate, and brings it into its worktree here. Other branches, tags and stashes of its agent become branches here. A
 * repeat changes nothing.
 * @returns the branches that hold the others: `nancy/<name>.<their name>`
 * @throws WorkBesides if the worktree is not there, or cannot take it, as it does not continue what that began with
 * @throws NancyError `git` if the repository is gone, `busy` if the worktree is being merged or removed for long: the work has not come
 */
export async function fetchWork(worktree: Worktree, id: string, transport: Transport): Promise<readonly string[]> {
	const { parent, common, name } = await openWorktree(worktree);
	const ref = arrivedRef(id);
	const url = anyUrl();
	const closed = [
		'--quiet',
		'--no-tags',
		'--no-write-fetch-head',
		'--no-prune',
		'--no-recurse-submodules',
		'--refmap=',
	];
	// A job of an earlier Nancy has no others.
	const wanted = [`+${resultRef(id)}:${ref}`, `+${othersRef(id)}/*:${arrivedOthersRef(id)}/*`];
	await git({ ...parent, deadlineMs: transport.deadlineMs }, ['fetch', ...closed, url, ...wanted], {
		env: variables(transport, 'upload-pack', url),
	});
	const tip = await gitAnswer(parent, ['rev-parse', '--verify', `${ref}^{commit}`]);
	const others = await othersOnBranches(parent, worktree.branch, id);
	// A person may be merging or removing it.
	await holdingGitLock(common, name, async () => {
		const refusal = await bringIn(await openWorktree(worktree), tip);
		const why =
			refusal &&
			phrase`its worktree does not take its commits, so branch ${await besides(parent, worktree.branch, tip, { head: tip })} holds them: ${refusal.said}`;
		await git(parent, ['update-ref', '-d', ref, tip]);
		if (why) throw Object.assign(new WorkBesides('git', why), { others });
	});
	return others;
}

/** A host that is not trusted may send more of them than Nancy does there. */
async function othersOnBranches(parent: GitPlace, branch: string, id: string): Promise<string[]> {
	const arrived = await refsBelow(parent, arrivedOthersRef(id));
	const made = new Set<string>();
	for (const { ref, commit } of arrived.slice(0, MOST_OTHERS + 1))
		made.add(await besides(parent, branch, commit, { head: commit }, nameOfOther(ref)));
	await changeRefs(
		parent,
		arrived.map(({ ref }) => `delete ${ref}`),
	);
	return [...made];
}

/** Returns why the worktree does not take the commit. */
async function bringIn({ own, isThere, record }: OpenWorktree, tip: string): Promise<NancyError | undefined> {
	if (tip === record.base) return undefined;
	if (!own || !isThere) return new NancyError('git', phrase`${record.folder} is not there`);
	const head = await headOf(own);
	// It came in earlier, and the worktree has gone on.
	if (head !== undefined && (await isAncestor(own, tip, head))) return undefined;
	if (head === undefined || !(await isAncestor(own, head, tip)))
		return new NancyError('git', phrase`its commits do not continue what it began with`);
	try {
		await git(own, ['merge', '--quiet', '--ff-only', tip]);
		return undefined;
	} catch (error) {
		if (isNancyError(error) && error.code === 'git') return error;
		throw error;
	}
}
