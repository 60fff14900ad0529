import * as z from 'zod/mini';
import { whatWouldBeLost } from '../git/worktreeRemove.ts';
import { Worktree } from '../protocol/worktree.ts';
import { anybody, type Operation } from './operation.ts';
import { ownWorktreeOf } from './shared/ownWorktreeOf.ts';

const Input = z.object({ worktree: Worktree });
/** See `OnlyThere`. */
const Output = z.object({
	commits: z.int(),
	files: z.array(z.string()),
	nested: z.array(z.string()),
	ignored: z.array(z.string()),
});

/** The work that would be lost with a worktree. */
export const worktreeLoss: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'worktreeLoss',
	input: Input,
	output: Output,
	permit: anybody,
	async run(_, { worktree }, context) {
		const { commits, files, nested, ignored } = await whatWouldBeLost(await ownWorktreeOf(context, worktree));
		return { commits, files: [...files], nested: [...nested], ignored: [...ignored] };
	},
};
