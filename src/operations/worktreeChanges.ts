import * as z from 'zod/mini';
import { changesOf } from '../git/worktreeChanges.ts';
import { Worktree } from '../protocol/worktree.ts';
import { anybody, type Operation } from './operation.ts';
import { ownWorktreeOf } from './shared/ownWorktreeOf.ts';

const Input = z.object({ worktree: Worktree });
const Output = z.object({
	files: z.array(
		z.object({
			/** Relative to the worktree, with `/`. */
			path: z.string(),
			/** Its place before it was renamed. */
			before: z.exactOptional(z.string()),
			status: z.enum(['added', 'modified', 'deleted', 'renamed']),
		}),
	),
	/** Lines; binary files count as none. */
	insertions: z.int(),
	deletions: z.int(),
});

/** The changes of a worktree, from its base to its present files, committed or not. */
export const worktreeChanges: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'worktreeChanges',
	input: Input,
	output: Output,
	permit: anybody,
	async run(_, { worktree }, context) {
		const { files, insertions, deletions } = await changesOf(await ownWorktreeOf(context, worktree));
		return { files, insertions, deletions };
	},
};
