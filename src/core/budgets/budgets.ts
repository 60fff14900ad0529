import * as z from 'zod/mini';
import { look, stampOf } from '../../base/look.ts';
import { Budget } from '../../protocol/budget.ts';
import type { DelegateId } from '../../protocol/delegate.ts';
import type { TaskName } from '../../protocol/names.ts';
import { unlessBad, type OwnFolder } from '../files/ownFolder.ts';

/** Whose budget it is: that of a task with all of its workers and delegates, or of one delegate. */
export type BudgetOwner = { readonly task: TaskName } | { readonly delegate: DelegateId };

/** How far it is used: `near` from 80 % on, and `spent` when nothing is left. */
export type BudgetLevel = 'ok' | 'near' | 'spent';

const Record = z.looseObject({ version: z.literal(1), budget: Budget });

/** `budgets/<what>.<owner>.json` in the user's own records. No owner's name has the name of another one's file. */
const FOLDER = 'budgets';
const BUDGET = 'budget';
/** Nothing is left. */
const SPENT = 'spent';
/** A window has told the user so. */
const SAID = { near: 'said-near', spent: 'said-spent' } as const;

/**
 * The budgets that a person has set in one workspace. Agents write in `.nancy`, and none may raise its own. So they are in the user's data
 * folder.
 */
export class Budgets {
	constructor(private readonly own: OwnFolder) {}

	async of(owner: BudgetOwner): Promise<Budget | undefined> {
		return (await this.own.read(Record, ...recordOf(BUDGET, owner)))?.budget;
	}

	/** Sets another budget in place of an earlier one; `undefined` takes it away. What was said of the earlier one is forgotten. */
	async set(owner: BudgetOwner, budget: Budget | undefined): Promise<void> {
		for (const mark of [SPENT, SAID.near, SAID.spent]) await this.own.remove(...recordOf(mark, owner));
		if (budget) await this.own.write({ version: 1, budget }, ...recordOf(BUDGET, owner));
		else await this.own.remove(...recordOf(BUDGET, owner));
	}

	/** Notes whether nothing is left, for whoever does not see the use itself. The use falls where a worker's records go. */
	async noteLevel(owner: BudgetOwner, level: BudgetLevel): Promise<void> {
		const isSpent = level === 'spent';
		if (isSpent === this.isSpent(owner)) return;
		if (isSpent) await this.own.create({ version: 1 }, ...recordOf(SPENT, owner));
		else await this.own.remove(...recordOf(SPENT, owner));
	}

	isSpent(owner: BudgetOwner): boolean {
		return this.own.namesSync(FOLDER).includes(recordOf(SPENT, owner)[1]);
	}

	/** Whether the caller is to tell the user. Exactly one of all windows is, and once for a budget. */
	async mayTell(owner: BudgetOwner, level: 'near' | 'spent'): Promise<boolean> {
		return this.own.create({ version: 1 }, ...recordOf(SAID[level], owner));
	}

	/** All budgets, by {@link ownerKey}. One that does not parse counts as none. Throws errors of the disk: a budget must not go with one. */
	async all(): Promise<ReadonlyMap<string, Budget>> {
		const found = new Map<string, Budget>();
		for (const name of this.own.namesSync(FOLDER)) {
			const key = /^budget\.(.+)\.json$/.exec(name)?.[1];
			const record = key && (await this.own.read(Record, FOLDER, name).catch(unlessBad));
			if (record) found.set(key, record.budget);
		}
		return found;
	}

	/** Differs once any of it may: for a caller that has read all before. */
	async look(): Promise<string> {
		return stampOf(await look(this.own.path(FOLDER)));
	}
}

export function ownerKey(owner: BudgetOwner): string {
	return 'task' in owner ? `task.${owner.task}` : `delegate.${owner.delegate}`;
}

function recordOf(what: string, owner: BudgetOwner): [folder: string, name: string] {
	return [FOLDER, `${what}.${ownerKey(owner)}.json`];
}
