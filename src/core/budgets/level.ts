import type { Budget } from '../../protocol/budget.ts';
import { tokensOf, type Use } from './use.ts';
import type { BudgetLevel } from './budgets.ts';

/** From this share on, the user is warned. */
const NEAR = 0.8;

/** The used share of a budget, 1 for all of it. A figure that nobody tells counts as nothing. */
export function usedShare(budget: Budget, use: Use | undefined): number {
	if (!use) return 0;
	return 'tokens' in budget ? tokensOf(use) / budget.tokens : (use.costUsd ?? 0) / budget.costUsd;
}

export function levelOf(budget: Budget, use: Use | undefined): BudgetLevel {
	const share = usedShare(budget, use);
	if (share >= 1) return 'spent';
	return share >= NEAR ? 'near' : 'ok';
}
