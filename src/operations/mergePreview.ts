import * as z from 'zod/mini';
import { previewMerge } from '../git/mergePreview.ts';
import { Worktree } from '../protocol/worktree.ts';
import { anybody, type Operation } from './operation.ts';
import { ownWorktreeOf } from './shared/ownWorktreeOf.ts';

const Input = z.object({ worktree: Worktree });
/** See `MergePreview`. */
const Output = z.object({
	how: z.enum(['merged', 'applied']),
	files: z.int(),
	insertions: z.int(),
	deletions: z.int(),
	branch: z.exactOptional(z.string()),
	commit: z.exactOptional(z.string()),
});

/** What a merge of a worktree would bring, and where. */
export const mergePreview: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'mergePreview',
	input: Input,
	output: Output,
	permit: anybody,
	run: async (_, { worktree }, context) => previewMerge(await ownWorktreeOf(context, worktree)),
};
