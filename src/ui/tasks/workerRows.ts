import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { isFinal } from '../../core/delegates/delegate.ts';
import type { WorkerView } from '../../core/live/overview.ts';
import type { DelegateItem } from '../delegates/delegatesView.ts';
import { firstLine, formatAge, formatCount, formatTime } from '../kit/format.ts';
import { row, type Row } from '../kit/row.ts';
import { plainLines } from '../kit/terminalText.ts';
import { tooltip, withText } from '../kit/tooltip.ts';
import { phaseWord, stateLine } from '../words.ts';
import { failedIcon, phaseIcons } from './phaseLooks.ts';
import { labelOf, taskContext, taskNotes, type OfTask } from './taskRows.ts';

interface OfWorker extends OfTask {
	readonly worker: WorkerView;
}

/** What agents are called, by their driver. */
export interface AgentNames {
	full(driver: string): string;
	/** For places with little room. */
	short(driver: string): string;
}

/**
 * `Fix the login   Claude · working · Bash npm test · 4 s`
 * @param isTask the task has no other worker, so this is its row, too
 */
export function workerRow(
	element: OfWorker,
	names: AgentNames,
	delegates: readonly DelegateItem[],
	isTask: boolean,
): Row {
	const { folder, task, worker } = element;
	const { record, state } = worker;
	const title = labelOf(element);
	const key = `${folder.path}//${record.task}`;
	const item = row(isTask ? key : `${key}/${record.name}`, isTask ? title : record.name, foldOf(delegates));
	const isFailed = state.exitCode !== undefined;
	const context = `worker.${isFailed ? 'failed' : state.phase}`;
	item.contextValue = isTask ? `${taskContext(element)} ${context}` : context;
	item.iconPath = isFailed ? failedIcon : phaseIcons[state.phase];
	const unhooked = record.hooks === 'off' && state.phase !== 'ended' ? l10n.t('no hooks') : undefined;
	const queued = worker.queued === 0 ? undefined : l10n.t('{0} queued', worker.queued);
	const notes = [unhooked, queued, ...(isTask ? taskNotes(task) : [])];
	item.description = [names.short(record.agent), stateLine(state), ...notes].filter(Boolean).join(' · ');
	item.command = { command: 'nancy.focusTerminal', title: l10n.t('Focus Terminal'), arguments: [element] };
	const said = state.phase === 'waiting' ? `${phaseWord(state)}, ${item.description}` : item.description;
	item.accessibilityInformation = {
		label: isTask
			? l10n.t('Task {0}, {1}', title, said)
			: l10n.t('Worker {0} of task {1}, {2}', record.name, title, said),
	};
	return item;
}

export function workerHover(element: OfWorker, names: AgentNames): vscode.MarkdownString {
	const { folder, task, worker } = element;
	const { record, state, facts } = worker;
	const evidence = l10n.t('{0}, {1} ago', state.source, formatAge(state.at));
	const hover = tooltip(`${labelOf(element)} · ${record.name}`, [
		[l10n.t('State'), l10n.t('{0} for {1}', phaseWord(state), formatAge(state.since))],
		[l10n.t('Known from'), evidence],
		[l10n.t('Doing'), [state.tool, state.summary].filter(Boolean).join(' ')],
		[l10n.t('Prompt'), firstLine(task.record.prompt, 200)],
		[l10n.t('Agent'), [names.full(record.agent), record.agentVersion].filter(Boolean).join(' ')],
		[l10n.t('Model'), facts?.model ?? record.model],
		[l10n.t('Context'), facts && contextWords(facts)],
		[
			l10n.t('Tokens'),
			facts && l10n.t('{0} in, {1} out', formatCount(facts.inputTokens), formatCount(facts.outputTokens)),
		],
		[l10n.t('Cost'), facts?.costUsd === undefined ? undefined : `$${facts.costUsd.toFixed(2)}`],
		[
			l10n.t('Hooks'),
			record.hooks && l10n.t('off: messages are not delivered, and what it does is known only roughly'),
		],
		[l10n.t('Queued'), worker.queued === 0 ? undefined : String(worker.queued)],
		[l10n.t('Started'), formatTime(record.startedAt)],
		[l10n.t('Process'), record.process && String(record.process.pid)],
		[l10n.t('Session'), state.session ?? record.sessions.at(-1)?.id],
		[l10n.t('Task'), task.record.name],
		[l10n.t('Folder'), folder.path],
	]);
	const lines = state.exitCode === undefined ? [] : (record.exit?.lines ?? []);
	return lines.length === 0 ? hover : withText(hover, plainLines(lines.join('\n')).join('\n'));
}

function contextWords(facts: NonNullable<WorkerView['facts']>): string | undefined {
	const { contextTokens, contextWindow } = facts;
	if (contextTokens === undefined) return undefined;
	if (contextWindow === undefined) return formatCount(contextTokens);
	const percent = Math.round((100 * contextTokens) / contextWindow);
	return l10n.t('{0} of {1} ({2} %)', formatCount(contextTokens), formatCount(contextWindow), percent);
}

function foldOf(delegates: readonly DelegateItem[]): vscode.TreeItemCollapsibleState {
	if (delegates.length === 0) return vscode.TreeItemCollapsibleState.None;
	const isAnyOpen = delegates.some(({ delegate }) => !isFinal(delegate.state));
	return isAnyOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}
