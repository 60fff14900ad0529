import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { BegunMerges } from '../core/worktrees/begunMerges.ts';
import { mergeWorktree as merge } from '../git/worktreeMerge.ts';
import { Worktree } from '../protocol/worktree.ts';
import { Said } from '../protocol/said.ts';
import type { Operation } from './operation.ts';
import { endedWorktreeOf } from './shared/ownWorktreeOf.ts';
import { noteMerge, settleMerge } from './shared/settleMerges.ts';

const Input = z.object({
	worktree: Worktree,
	/** The message of the merge commit. */
	message: z.string(),
});
const Output = z.discriminatedUnion('ok', [
	z.object({
		ok: z.literal(true),
		how: z.enum(['merged', 'applied', 'nothing']),
		/** Repositories inside the worktree, which stay there. */
		left: z.optional(z.array(z.string())),
	}),
	/** `reason` is a sentence that names the files in the way. */
	z.object({ ok: z.literal(false), reason: Said }),
]);

/** Brings the changes of a worktree into the checkout that it was made from. */
export const mergeWorktree: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'mergeWorktree',
	input: Input,
	output: Output,
	async permit(asker, { worktree }) {
		permit(asker, { is: 'change-worktree', what: `merge ${worktree.branch}` });
	},
	async run(_, { worktree: claimed, message }, context) {
		const { worktree } = await endedWorktreeOf(context, claimed);
		const begun = new BegunMerges(context.workspace.own);
		const merged = await merge(worktree, message, record => begun.add({ worktree, merge: record }));
		if (merged.ok && merged.record) await noteMerge(context, { worktree, merge: merged.record });
		// Also a merge that failed may have written files.
		else await settleMerge(context, worktree.branch);
		return merged;
	},
};
