import * as z from 'zod/mini';

/** Becomes a folder and the end of a branch's name; each id of a delegate is one. */
export const WorktreeName = z
	.string()
	.check(z.regex(/^[a-z0-9][a-z0-9_-]{0,79}$/))
	.brand<'WorktreeName'>();
export type WorktreeName = z.infer<typeof WorktreeName>;

const BRANCHES = 'nancy/';

export function branchOf(name: string): string {
	return `${BRANCHES}${name}`;
}

/** The name that {@link branchOf} made a branch of. */
export function idOfBranch(branch: string): string {
	return branch.slice(BRANCHES.length);
}

const AbsoluteFolder = z.string().check(z.regex(/^(?:\/|[A-Za-z]:[\\/])[^\0]*$/));

/** A git worktree that Nancy made for a delegate. */
export const Worktree = z.object({
	/** Top folder of the checkout beside it, which gets its changes. */
	repository: AbsoluteFolder,
	/** `<repository>.worktrees/<name>` */
	folder: AbsoluteFolder,
	/** `nancy/<name>` */
	branch: z.string().check(z.regex(/^nancy\/[a-z0-9][a-z0-9_-]{0,79}$/)),
	/** The commit it began with: the checkout's, or one that holds the checkout's uncommitted changes. */
	base: z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/)),
});
export type Worktree = z.infer<typeof Worktree>;

export function isSameWorktree(one: Worktree | undefined, other: Worktree | undefined): boolean {
	const facts = ['repository', 'folder', 'branch', 'base'] as const;
	return facts.every(fact => one?.[fact] === other?.[fact]);
}
