import * as z from 'zod/mini';
import { Worktree } from '../protocol/worktree.ts';
import { anybody, type Operation } from './operation.ts';
import { ownWorktreeOf } from './shared/ownWorktreeOf.ts';

const Input = z.object({ worktree: Worktree });

/** For a caller that opens a worktree, or works in it. The answer is the worktree as git has it. */
export const verifyWorktree: Operation<z.infer<typeof Input>, Worktree> = {
	name: 'verifyWorktree',
	input: Input,
	output: Worktree,
	permit: anybody,
	run: (_, { worktree }, context) => ownWorktreeOf(context, worktree),
};
