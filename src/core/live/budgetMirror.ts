import { Budgets, ownerKey, type BudgetOwner } from '../budgets/budgets.ts';
import { levelOf } from '../budgets/level.ts';
import type { Budget } from '../../protocol/budget.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { BudgetView } from './overview.ts';
import type { Use } from '../budgets/use.ts';

/** The budgets of a workspace in memory, as last read. */
export class BudgetMirror {
	private readonly budgets: Budgets;
	private known: ReadonlyMap<string, Budget> = new Map();
	private seen = '';

	constructor(workspace: Workspace) {
		this.budgets = new Budgets(workspace.own);
	}

	/** Whether they are known. Until then, no task is without one. */
	get isRead(): boolean {
		return this.seen !== '';
	}

	/** Reads them again if any may have changed: one look at one folder. Returns whether it did. */
	async read(): Promise<boolean> {
		const look = await this.budgets.look();
		if (look === this.seen) return false;
		this.known = await this.budgets.all();
		this.seen = look;
		return true;
	}

	/** `undefined` without a budget. */
	viewOf(owner: BudgetOwner, use: Use | undefined): BudgetView | undefined {
		const budget = this.known.size === 0 ? undefined : this.known.get(ownerKey(owner));
		return budget && { budget, level: levelOf(budget, use) };
	}
}
