import type { Budget } from '../../protocol/budget.ts';
import { tokensOf, type Use } from './use.ts';
import type { BudgetLevel } from './budgets.ts';

/** From this share on, the user is warned. */
const NEAR = 0.8;

/** The used share of a budget, 1 for all of it. A figure that nobody tells counts as nothing. */
export function usedShare({ tokens, costUsd }: Budget, use: Use | undefined): number {
	if (!use) return 0;
	const ofTokens = tokens === undefined ? 0 : tokensOf(use) / tokens;
	const ofCost = costUsd === undefined ? 0 : (use.costUsd ?? 0) / costUsd;
	return Math.max(ofTokens, ofCost);
}

export function levelOf(budget: Budget, use: Use | undefined): BudgetLevel {
	const share = usedShare(budget, use);
	if (share >= 1) return 'spent';
	return share >= NEAR ? 'near' : 'ok';
}
