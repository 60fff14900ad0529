import * as z from 'zod/mini';
import { permit } from '../core/asker/permit.ts';
import { Budgets, ownerKey } from '../core/budgets/budgets.ts';
import { Budget } from '../protocol/budget.ts';
import { theDelegate, theTask } from '../core/workspace/named.ts';
import { DelegateId } from '../protocol/delegate.ts';
import { TaskName } from '../protocol/names.ts';
import type { Operation } from './operation.ts';
import { budgetUnits, requireTold } from './shared/budgetUnits.ts';

const Input = z.object({
	owner: z.union([z.object({ task: TaskName }), z.object({ delegate: DelegateId })]),
	/** Without one, an earlier budget is taken away. */
	budget: z.optional(Budget),
});
const Output = z.object({});

/**
 * Sets what a task or a delegate may take. Throws `bad-usage` for a figure that none of its agents tells while it works. A higher budget
 * lets a paused task go on.
 */
export const setBudget: Operation<z.infer<typeof Input>, z.infer<typeof Output>> = {
	name: 'setBudget',
	input: Input,
	output: Output,
	async permit(asker, { owner }) {
		permit(asker, { is: 'set-budget', what: ownerKey(owner).replace('.', ' ') });
	},
	async run(_, { owner, budget }, context) {
		if (budget)
			requireTold(
				budget,
				await budgetUnits(owner, context),
				'task' in owner ? theTask(owner.task) : theDelegate(owner.delegate),
			);
		await new Budgets(context.workspace.own).set(owner, budget);
		return {};
	},
};
