import * as z from 'zod/mini';
import { NancyError } from '../base/errors.ts';
import { phrase } from '../base/phrase.ts';
import { permit } from '../core/asker/permit.ts';
import { undoMerge as undo } from '../git/mergeUndo.ts';
import { Worktree } from '../protocol/worktree.ts';
import { Said } from '../protocol/said.ts';
import type { Operation } from './operation.ts';
import { endedWorktreeOf } from './shared/ownWorktreeOf.ts';
import { noteMerged } from './shared/settleMerges.ts';

const Input = z.object({ worktree: Worktree });
const Output = z.discriminatedUnion('ok', [
	/** `isGone`: the branch had the merge commit no more, so the checkout was not changed. */
	z.object({ ok: z.literal(true), isGone: z.exactOptional(z.literal(true)) }),
	/** `reason` is a sentence that names what has changed since the merge. */
	z.object({ ok: z.literal(false), reason: Said }),
]);

/** Takes the last merge of a worktree back, while the checkout is as the merge left it. The user's sealed records tell what it did. */
export const undoMerge: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'undoMerge',
	input: Input,
	output: Output,
	async permit(asker, { worktree }) {
		permit(asker, { is: 'change-worktree', what: `undo the merge of ${worktree.branch}` });
	},
	async run(_, { worktree: claimed }, context) {
		const { worktree, merges, own } = await endedWorktreeOf(context, claimed);
		const [last, before] = (await merges.list()).toReversed();
		if (!last) throw new NancyError('wrong-state', phrase`${worktree.branch} was not merged from here`);
		const undone = await undo(worktree, last);
		if (undone.ok) {
			await merges.dropLast();
			await noteMerged(context, own, before?.at);
		}
		return undone;
	},
};
