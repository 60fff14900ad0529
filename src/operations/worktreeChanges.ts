import * as z from 'zod/mini';
import { changesOf } from '../git/worktreeChanges.ts';
import { Worktree } from '../protocol/worktree.ts';
import { anybody, type Operation } from './operation.ts';
import { Changes } from './shared/changes.ts';
import { ownWorktreeOf } from './shared/ownWorktreeOf.ts';

const Input = z.object({ worktree: Worktree });

/** The changes of a worktree, from its base to its present files, committed or not. */
export const worktreeChanges: Operation<z.infer<typeof Input>, Changes> = {
	name: 'worktreeChanges',
	input: Input,
	output: Changes,
	worksOnPage: true,
	permit: anybody,
	async run(_, { worktree }, context) {
		const { files, insertions, deletions } = await changesOf(await ownWorktreeOf(context, worktree));
		return { files, insertions, deletions };
	},
};
