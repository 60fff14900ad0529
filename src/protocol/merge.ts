import * as z from 'zod/mini';
import { Moment } from './records.ts';

const GitObject = z.string().check(z.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/));

const common = {
	at: Moment,
	/** The commit that was checked out before. */
	head: GitObject,
	/** The checked-out branch, as a ref; absent if none was. */
	ref: z.exactOptional(z.string().check(z.regex(/^refs\/heads\/[^\0-\x20\x7f~^:?*[\\]+$/))),
};

/**
 * What the merge of a worktree has done to the checkout. That is enough to prove that the checkout is still so, and to take the merge back.
 */
export const MergeRecord = z.discriminatedUnion('how', [
	z.object({ ...common, how: z.literal('merged'), /** The merge commit. */ commit: GitObject }),
	z.object({
		...common,
		how: z.literal('applied'),
		/** A commit, on no branch, of the checkout's files before. */
		before: GitObject,
		/** The tree of its files afterwards. */
		after: GitObject,
		/** The hash of the index's entries of the changed files. */
		index: z.string(),
		/** The last commit of the work. */
		tip: GitObject,
		/** The one that was applied before it. */
		applied: z.exactOptional(GitObject),
	}),
]);
export type MergeRecord = z.infer<typeof MergeRecord>;
