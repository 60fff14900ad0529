import * as z from 'zod/mini';
import { Budgets } from '../core/budgets/budgets.ts';
import { Budget } from '../protocol/budget.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { TaskName } from '../protocol/names.ts';
import { anybody, type Operation } from './operation.ts';
import { budgetUnits } from './shared/budgetUnits.ts';

const Input = z.object({ owner: z.union([z.object({ task: TaskName }), z.object({ delegate: DelegateId })]) });

const Output = z.object({
	/** Absent if nobody has set one. */
	budget: z.optional(Budget),
	/** What a budget can be kept by. */
	units: z.array(z.enum(['tokens', 'dollars'])),
	/** Its agents that tell nothing while they work. */
	silent: z.array(z.string()),
});

/** Tells the budget of a task or a delegate, and which it could have. */
export const budget: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'budget',
	input: Input,
	output: Output,
	permit: anybody,
	async run(_, { owner }, context) {
		const known = await new Budgets(context.workspace.own).of(owner);
		return { ...(known && { budget: known }), ...(await budgetUnits(owner, context)) };
	},
};
