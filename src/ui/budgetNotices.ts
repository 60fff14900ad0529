import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isFinal } from '../core/delegates/delegate.ts';
import { Budgets, ownerKey, type BudgetOwner } from '../core/budgets/budgets.ts';
import type { BudgetView } from '../core/live/overview.ts';
import { DelegateItem } from './delegates/delegatesView.ts';
import { shortTitle } from './delegates/delegateWords.ts';
import type { Folders } from './folders.ts';
import type { Failures } from './kit/failures.ts';
import { warn } from './kit/messages.ts';
import type { Folder } from './ports.ts';
import { labelOf } from './tasks/taskRows.ts';
import { TaskItem } from './tasks/tasksView.ts';
import { budgetWords } from './useWords.ts';

interface Notice {
	folder: Folder;
	owner: BudgetOwner;
	view: BudgetView;
	/** The row of the command that sets the budget. */
	item: TaskItem | DelegateItem;
	label: string;
}

/**
 * Tells the user once that a budget is nearly used up, and once that it is. One of all windows does.
 * @param setBudget runs the command for a row
 */
export function budgetNotices(
	folders: Pick<Folders, 'list' | 'onDidChange'>,
	failures: Pick<Failures, 'background'>,
	setBudget: (item: TaskItem | DelegateItem) => Promise<void>,
): vscode.Disposable {
	// What was said or left to another window: no reason to ask the disk again.
	const done = new Set<string>();
	const look = () => {
		if (!vscode.workspace.isTrusted) return;
		for (const notice of folders.list().flatMap(noticesIn)) {
			const { folder, owner, view } = notice;
			const key = [folder.path, ownerKey(owner), view.level, JSON.stringify(view.budget)].join('//');
			if (done.has(key)) continue;
			done.add(key);
			failures.background(tell(notice, setBudget));
		}
	};
	return folders.onDidChange(look);
}

function noticesIn(folder: Folder): Notice[] {
	const { tasks } = folder.overview();
	const ofTasks = tasks.flatMap(task => {
		const item = new TaskItem(folder, task);
		const owner = { task: task.record.name };
		return task.budget ? [{ folder, owner, view: task.budget, item, label: labelOf(item) }] : [];
	});
	const views = tasks.flatMap(({ workers }) => workers).filter(({ budget }) => budget !== undefined);
	const ofDelegates = views.flatMap(({ record, budget: view }) => {
		const delegate = folder.delegates().find(each => each.record.id === record.delegate);
		if (!delegate || !view) return [];
		const owner = { delegate: delegate.record.id };
		return [{ folder, owner, view, item: new DelegateItem(folder, delegate), label: shortTitle(delegate) }];
	});
	return [...ofTasks, ...ofDelegates].filter(({ view }) => view.level !== 'ok');
}

async function tell(notice: Notice, setBudget: (item: Notice['item']) => Promise<void>) {
	const { folder, owner, view, item } = notice;
	const { level } = view;
	if (level === 'ok' || !(await new Budgets(folder.workspace.own).mayTell(owner, level))) return;
	const button = l10n.t('Set Budget…');
	if ((await warn(sentence(notice), button)) === button) await setBudget(item);
}

function sentence({ view: { level, budget }, item, label }: Notice): string {
	const words = budgetWords(budget);
	if (level === 'near') return l10n.t('“{0}” has used more than 80 % of its budget of {1}.', label, words);
	if (item instanceof TaskItem)
		return l10n.t('“{0}” has used up its budget of {1}. Its agents are paused.', label, words);
	return isFinal(item.delegate.state)
		? l10n.t('“{0}” has used up its budget of {1}. The delegate has ended.', label, words)
		: l10n.t('“{0}” has used up its budget of {1}. The delegate is being stopped.', label, words);
}
