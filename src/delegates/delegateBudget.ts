import { Budgets } from '../core/budgets/budgets.ts';
import { levelOf } from '../core/budgets/level.ts';
import { newerUse, sumUse, tokensOf, useInSession, useOfRun, type Use } from '../core/budgets/use.ts';
import type { Driver } from '../core/driver/driver.ts';
import { Transcript } from '../core/sessions/transcripts.ts';
import type { Workspace } from '../core/workspace/workspace.ts';
import { budgetText, type Budget } from '../protocol/budget.ts';
import type { DelegateRecord, DelegateStatus } from '../protocol/delegate.ts';

/** How often to look, in milliseconds. */
const LOOK_MS = 2000;

/**
 * Watches what a running delegate takes, and stops it when its budget is used up, or that of its task. Most CLIs tell their use in the
 * record of the session, while they work, and in their output only at the end.
 */
export class DelegateBudget {
	/** Why the delegate was stopped; absent if it was not. */
	why: string | undefined;
	private readonly budgets: Budgets;
	private readonly transcripts = new Map<string, Transcript>();
	private timer: NodeJS.Timeout | undefined;

	/** @param stop called once */
	constructor(
		private readonly workspace: Workspace,
		private readonly record: DelegateRecord,
		private readonly status: DelegateStatus,
		private readonly stop: () => void,
	) {
		this.budgets = new Budgets(workspace.own);
	}

	/** Looks now and then until {@link end}. */
	begin(driver: Driver): void {
		const look = async () => {
			await this.look(driver).catch(() => undefined);
			if (this.why === undefined && this.timer) this.timer = setTimeout(() => void look(), LOOK_MS);
		};
		this.timer = setTimeout(() => void look(), 0);
	}

	end(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
	}

	/** What is left of the dollars, by what the runs before have told; `undefined` without such a budget. */
	async dollarsLeft(): Promise<number | undefined> {
		const budget = await this.own();
		if (!budget || 'tokens' in budget) return undefined;
		return Math.max(0.0001, budget.costUsd - (this.status.cost_usd ?? 0));
	}

	/** Notes if nothing is left, by everything that is known by now. */
	async look(driver: Driver): Promise<void> {
		if (this.why !== undefined) return;
		const budget = await this.own();
		const use = budget && (await this.use(driver));
		if (budget && levelOf(budget, use) === 'spent') this.spent(usedUp(budget, use));
		else if (this.budgets.isSpent({ task: this.record.task })) this.spent('budget: that of its task is used up');
	}

	private spent(why: string): void {
		this.why = why;
		this.stop();
	}

	private own(): Promise<Budget | undefined> {
		return this.budgets.of({ delegate: this.record.id });
	}

	private async use({ transcript: format }: Driver): Promise<Use | undefined> {
		const told = useOfRun(this.status);
		if (format === 'none') return told;
		const worker = await this.workspace.worker(this.record);
		const uses: (Use | undefined)[] = [];
		for (const { transcript: file } of worker?.sessions ?? []) {
			if (file === undefined) continue;
			const transcript = this.transcripts.get(file) ?? new Transcript(file, format);
			this.transcripts.set(file, transcript);
			// What is known of one that cannot be read now counts.
			await transcript.read().catch(() => false);
			uses.push(useInSession(transcript.facts));
		}
		return newerUse(told, sumUse(uses));
	}
}

function usedUp(budget: Budget, use: Use | undefined): string {
	const tokens = use && 'tokens' in budget ? `, with ${tokensOf(use)} tokens` : '';
	return `budget: ${budgetText(budget)} is used up${tokens}`;
}
