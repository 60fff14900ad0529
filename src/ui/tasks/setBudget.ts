import { l10n } from 'vscode';
import type { BudgetOwner } from '../../core/budgets/budgets.ts';
import { sumUse, type Use } from '../../core/budgets/use.ts';
import { budgetText, parseBudget, unitOf, type BudgetUnit } from '../../protocol/budget.ts';
import { useOfDelegate } from '../delegates/delegateUse.ts';
import type { DelegateItem } from '../delegates/delegatesView.ts';
import { askLine } from '../kit/inputs.ts';
import { inform } from '../kit/messages.ts';
import type { Folder, Operations } from '../ports.ts';
import { useWords } from '../useWords.ts';
import { labelOf, type OfTask } from './taskRows.ts';

/** Whose budget a person sets. */
export interface BudgetPlace {
	folder: Folder;
	owner: BudgetOwner;
	/** What it is called. */
	label: string;
	use: Use | undefined;
}

export function placeOfTask(item: OfTask): BudgetPlace {
	const { record, workers } = item.task;
	const use = sumUse(workers.map(each => each.use));
	return { folder: item.folder, owner: { task: record.name }, label: labelOf(item), use };
}

export function placeOfDelegate({ folder, delegate, fullLabel }: DelegateItem): BudgetPlace {
	const use = useOfDelegate(folder, delegate);
	return { folder, owner: { delegate: delegate.record.id }, label: fullLabel, use };
}

/** Asks for a budget, and sets it. If no agent tells what it takes, says so and asks nothing. */
export async function setBudget(operations: Operations, { folder, owner, label, use }: BudgetPlace): Promise<void> {
	const { budget, units, silent } = await operations.budget(folder, owner);
	if (units.length === 0) {
		const who = silent.join(', ');
		return void inform(l10n.t('{0} does not tell what it takes while it works, so no budget can be kept.', who));
	}
	const typed = await askLine(l10n.t('Budget of “{0}”', label), promptOf(units, silent, use), {
		value: budget ? budgetText(budget) : '',
		refuse: text => whyNot(text, units),
	});
	if (typed === undefined) return;
	await operations.setBudget(folder, owner, parseBudget(typed));
	await folder.refresh();
}

function promptOf(units: readonly BudgetUnit[], silent: readonly string[], use: Use | undefined): string {
	const what = units.includes('dollars')
		? l10n.t('Tokens or dollars, such as 200k or $2. Leave it empty for no budget.')
		: l10n.t('Tokens, such as 200k. Leave it empty for no budget.');
	const so = use ? l10n.t('Used so far: {0}.', useWords(use)) : '';
	const not = silent.length === 0 ? '' : l10n.t('Not counted: {0}.', silent.join(', '));
	return [what, so, not].filter(Boolean).join(' ');
}

/** Why it is no budget that can be kept; `undefined` if it is one. */
function whyNot(typed: string, units: readonly BudgetUnit[]): string | undefined {
	const budget = parseBudget(typed);
	if (!budget) return l10n.t('Enter a budget such as $2.50 or 200k tokens.');
	if (units.includes(unitOf(budget))) return undefined;
	return unitOf(budget) === 'dollars'
		? l10n.t('The agent names no dollars while it works. Enter tokens.')
		: l10n.t('The agent counts no tokens while it works. Enter dollars.');
}
