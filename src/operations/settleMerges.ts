import * as z from 'zod/mini';
import { errorText } from '../base/errors.ts';
import { BegunMerges } from '../core/worktrees/begunMerges.ts';
import { anybody, type Operation } from './operation.ts';
import { settleMerge } from './shared/settleMerges.ts';

const Nothing = z.object({});

/** Notes merges that a kill has cut off from their notes, and forgets those that never came to be. */
export const settleMerges: Operation<z.infer<typeof Nothing>, z.infer<typeof Nothing>> = {
	name: 'settleMerges',
	input: Nothing,
	output: Nothing,
	permit: anybody,
	async run(_asker, _input, context) {
		for (const branch of new BegunMerges(context.workspace.own).branches())
			await settleMerge(context, branch).catch((error: unknown) =>
				context.note(`the merge of ${branch} is not settled: ${errorText(error)}`),
			);
		return {};
	},
};
