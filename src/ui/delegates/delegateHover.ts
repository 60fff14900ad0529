import type { MarkdownString } from 'vscode';
import { l10n } from 'vscode';
import { isFinal, type Delegate } from '../../core/delegates/delegate.ts';
import { isStanding, mergeOf, worktreeOf } from '../../core/delegates/inWorktree.ts';
import type { MergeRecord } from '../../protocol/merge.ts';
import type { Worktree } from '../../protocol/worktree.ts';
import { firstLine, formatDateTime, formatDollars, formatTime } from '../kit/format.ts';
import { tooltip } from '../kit/tooltip.ts';
import type { ChangedLines, Folder } from '../ports.ts';
import { budgetLine, inAndOut, lineWords } from '../useWords.ts';
import { whoIs } from '../who.ts';
import { budgetOfDelegate, useOfDelegate } from './delegateUse.ts';
import { duration, isolationWords, lastStep, machineWords, stateWord, toolCalls } from './delegateWords.ts';

/** How an agent and its permission modes are called, by the driver. */
export interface DelegateNames {
	agent(driver: string): string;
	/** As the user chooses it. */
	mode(driver: string, mode: string): string;
}

/** @param lines that have changed in its worktree, while that stands */
export function delegateHover(
	{ folder, delegate }: { readonly folder: Folder; readonly delegate: Delegate },
	names: DelegateNames,
	lines: ChangedLines | undefined,
): MarkdownString {
	const { record, status, state, error } = delegate;
	const all = folder.delegates();
	const worktree = worktreeOf(delegate, all);
	const merge = mergedIn(delegate, worktree, all);
	const denied = [...new Set(status.denied)];
	const budget = budgetOfDelegate(folder, delegate);
	const use = useOfDelegate(folder, delegate);
	return tooltip(record.title, [
		[
			l10n.t('State'),
			[stateWord(delegate), toolCalls(status.tool_calls), duration(delegate)].filter(Boolean).join(' · '),
		],
		[l10n.t('Merged'), merge && formatTime(merge.at)],
		[l10n.t('Error'), error === undefined || error === 'cancelled' ? undefined : firstLine(error, 400)],
		[l10n.t('Parked until'), status.parked_until && formatTime(status.parked_until)],
		[l10n.t('Asks you'), delegate.asks?.map(each => firstLine(each, 400)).join(' · ')],
		[l10n.t('Doing'), isFinal(state) ? undefined : lastStep(delegate)],
		[l10n.t('Attempt'), status.iteration > 1 ? String(status.iteration) : undefined],
		[l10n.t('Agent'), names.agent(record.agent)],
		[l10n.t('Model'), status.model ?? record.model],
		[l10n.t('Permissions'), names.mode(record.agent, record.permissions)],
		[l10n.t('Not allowed'), denied.join(', ')],
		[l10n.t('Tokens'), use && inAndOut(use)],
		[l10n.t('Cost'), use?.costUsd === undefined ? undefined : formatDollars(use.costUsd)],
		[l10n.t('Budget'), budget && budgetLine(budget, use)],
		[l10n.t('Machine'), machineWords(delegate)],
		[l10n.t('Isolation'), isolationWords(delegate)],
		[l10n.t('Folder'), worktree?.folder ?? record.place.folder],
		[l10n.t('Worktree'), worktree && !isStanding(worktree) ? l10n.t('removed') : undefined],
		[l10n.t('Branch'), worktree?.branch],
		[l10n.t('Other branches'), status.other_branches?.join(', ')],
		[l10n.t('Changed'), lineWords(lines)],
		[l10n.t('Result for'), record.parent ? whoIs(folder, record.parent) : l10n.t('you')],
		[l10n.t('Mailbox'), `${record.task}/${record.worker}`],
		[l10n.t('Asked'), formatDateTime(record.createdAt)],
		[l10n.t('Started'), status.started_at && formatTime(status.started_at)],
		[l10n.t('Ended'), status.ended_at && formatTime(status.ended_at)],
		[l10n.t('ID'), record.id],
	]);
}

/** The last merge of its worktree, if that has its work. */
export function mergedIn(
	delegate: Delegate,
	worktree: Worktree | undefined,
	all: readonly Delegate[],
): MergeRecord | undefined {
	return worktree && delegate.state === 'done' ? mergeOf(delegate, worktree, all) : undefined;
}
