import * as z from 'zod/mini';
import { Worktree } from '../protocol/worktree.ts';
import { requireTrust, type Operation } from './operation.ts';
import { ownWorktreeOf } from './ownWorktreeOf.ts';

const Input = z.object({ worktree: Worktree });

/** For a caller that opens a worktree, or works in it. The answer is the worktree as git has it. */
export const verifyWorktree: Operation<z.infer<typeof Input>, Worktree> = {
	name: 'verifyWorktree',
	input: Input,
	output: Worktree,
	async permit(_asker, _input, context) {
		requireTrust(context);
	},
	run: (_, { worktree }, context) => ownWorktreeOf(context, worktree),
};
