import * as z from 'zod/mini';
import { fileAtBase as readAtBase } from '../git/worktreeChanges.ts';
import { Worktree } from '../protocol/worktree.ts';
import { anybody, type Operation } from './operation.ts';
import { ownWorktreeOf } from './shared/ownWorktreeOf.ts';

const Input = z.object({
	worktree: Worktree,
	/** Relative to the worktree, with `/`. */
	path: z.string(),
});
/** `undefined` when there was no such file. */
const Output = z.object({ content: z.union([z.instanceof(Buffer), z.undefined()]) });

/** A file as it was in the base of a worktree. */
export const fileAtBase: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'fileAtBase',
	input: Input,
	output: Output,
	permit: anybody,
	run: async (_, { worktree, path }, context) => ({
		content: await readAtBase(await ownWorktreeOf(context, worktree), path),
	}),
};
