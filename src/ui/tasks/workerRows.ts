import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { INTERRUPTED, ON_SCREEN, OWN_STATUS, PROCESS_GONE } from '../../core/live/workerState.ts';
import { hasBegun } from '../../core/workspace/workerLife.ts';
import { isFinal } from '../../core/delegates/delegate.ts';
import { workersWorktree } from '../../core/delegates/inWorktree.ts';
import type { TaskView, WorkerView } from '../../core/live/overview.ts';
import { sumUse } from '../../core/budgets/use.ts';
import { changesOfWorker, isInFolder } from '../delegates/changesOf.ts';
import type { DelegateItem } from '../delegates/delegatesView.ts';
import type { ShownChanges } from '../delegates/knownChanges.ts';
import type { ChangedLines } from '../ports.ts';
import { firstLine, formatAge, formatDollars, formatTime } from '../kit/format.ts';
import { row, type Row } from '../kit/row.ts';
import { questionOf } from '../questions/questionItem.ts';
import { plainLines } from '../kit/terminalText.ts';
import { tooltip, withText } from '../kit/tooltip.ts';
import {
	budgetLine,
	budgetNote,
	contextWords,
	inAndOut,
	limitWords,
	lineNotes,
	lineWords,
	spokenLines,
	spokenUse,
	useNotes,
	useWords,
} from '../useWords.ts';
import { phaseWord, saidWords, stateLine } from '../words.ts';
import { failedIcon, phaseIcons } from './phaseLooks.ts';
import { workersOf } from './taskOrder.ts';
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

/** What stands in a worker's row beside what the folder knows. */
interface Beside {
	readonly names: AgentNames;
	readonly delegates: readonly DelegateItem[];
	/** The task has no other worker, so this is its row, too. */
	readonly isTask: boolean;
	/** The agent's CLI can begin a conversation as a copy of another. */
	readonly canFork: boolean;
	/** The changes of its own worktree, or of the folder since the task began. */
	readonly changes: ShownChanges | undefined;
	/** Those that stand below the row: see {@link Held}. */
	readonly listed: ShownChanges;
}

/** `Fix the login   Claude · working · +120 −14 · 45k · Bash npm test · 4 min` */
export function workerRow(element: OfWorker, { names, delegates, isTask, canFork, changes, listed }: Beside): Row {
	const { task, worker } = element;
	const { record, state } = worker;
	const title = labelOf(element);
	const item = row(workerKey(element, isTask), isTask ? title : record.name, foldOf(delegates, listed));
	const worktree = workersWorktree(worker);
	const isMerged = worktree !== undefined && isMergedNow(worker);
	const phase = state.exitCode === undefined ? state.phase : 'failed';
	// Nothing to resume: its agent ended before it began a conversation.
	const unbegun = hasBegun(record) ? '' : ' unbegun';
	const fork = canFork ? ' fork' : '';
	const context = `worker.${phase}${kindOf(task, worker)}${isMerged ? ' merged' : ''}${unbegun || fork}`;
	item.contextValue = isTask ? `${taskContext(element)} ${context}` : context;
	item.iconPath = phase === 'failed' ? failedIcon : phaseIcons[state.phase];
	const unhooked = record.hooks === 'off' && state.phase !== 'ended' ? l10n.t('no hooks') : undefined;
	const queued = worker.queued === 0 ? undefined : l10n.t('{0} queued', worker.queued);
	const asked = questionOf(element.folder, { task: record.task, worker: record.name }, state.since);
	const inTerminal = state.phase === 'waiting' && !asked ? l10n.t('answer in its terminal') : undefined;
	const merged = isMerged ? l10n.t('merged') : undefined;
	const notes = [
		inTerminal,
		saidWords(worker),
		merged,
		unhooked,
		queued,
		...(isTask ? [...taskNotes(task), ...budgetNote(task.budget)] : []),
	];
	const line = (figures: readonly string[]) =>
		[names.short(record.agent), stateLine(worker, element.folder.path, figures, asked), ...notes]
			.filter(Boolean)
			.join(' · ');
	item.description = line([...lineNotes(changes), ...useNotes(worker.use)]);
	item.command = { command: 'nancy.focusTerminal', title: l10n.t('Focus Terminal'), arguments: [element] };
	const spoken = line([...spokenLines(changes), ...spokenUse(worker.use)]);
	const said = state.phase === 'waiting' && !asked ? `${phaseWord(state)}, ${spoken}` : spoken;
	item.accessibilityInformation = {
		label: isTask
			? l10n.t('Task {0}, {1}', title, said)
			: l10n.t('Worker {0} of task {1}, {2}', record.name, title, said),
	};
	return item;
}

/** @param isTask whether the row is its task's, too */
export function workerKey({ folder, worker: { record } }: OfWorker, isTask: boolean): string {
	const key = `${folder.path}//${record.task}`;
	return isTask ? key : `${key}/${record.name}`;
}

/** An event is named as it is. */
function sourceWords(source: string): string {
	switch (source) {
		case PROCESS_GONE:
			return l10n.t('process gone');
		case INTERRUPTED:
			return l10n.t('interrupted in its terminal');
		case OWN_STATUS:
			return l10n.t('agent’s own status');
		case ON_SCREEN:
			return l10n.t('screen of its terminal');
		default:
			return source;
	}
}

export function workerHover(
	element: OfWorker,
	names: AgentNames,
	lines: ChangedLines | undefined,
): vscode.MarkdownString {
	const { folder, task, worker } = element;
	const { record, state, facts, use } = worker;
	const all = sumUse(task.workers.map(each => each.use));
	const asked = questionOf(folder, { task: record.task, worker: record.name }, state.since);
	const evidence = l10n.t('{0}, {1} ago', sourceWords(state.source), formatAge(state.at));
	const hover = tooltip(`${labelOf(element)} · ${record.name}`, [
		[l10n.t('State'), l10n.t('{0} for {1}', phaseWord(state), formatAge(state.since))],
		[l10n.t('Known from'), evidence],
		[l10n.t('Doing'), [state.tool, state.summary].filter(Boolean).join(' ')],
		[l10n.t('Answer'), state.phase === 'waiting' && !asked ? cannotAnswer() : undefined],
		[l10n.t('Its own words'), worker.said && `${saidWords(worker, 500)} (${formatAge(worker.said.at)})`],
		[l10n.t('Notification'), worker.alert && `“${worker.alert.text}” (${formatAge(worker.alert.at)})`],
		[l10n.t('Prompt'), firstLine(task.record.prompt, 200)],
		[l10n.t('Agent'), [names.full(record.agent), record.agentVersion].filter(Boolean).join(' ')],
		[l10n.t('Model'), facts?.model ?? record.model],
		[l10n.t('Context'), facts && contextWords(facts)],
		[l10n.t('Tokens'), use && inAndOut(use)],
		[l10n.t('Cost'), use?.costUsd === undefined ? undefined : formatDollars(use.costUsd)],
		[l10n.t('Limits'), facts && limitWords(facts.limits)],
		[l10n.t('Budget'), task.budget && budgetLine(task.budget, all)],
		[l10n.t('Whole task'), task.workers.length > 1 && all ? useWords(all) : undefined],
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
		[l10n.t('Worktree'), worker.worktree?.folder],
		[l10n.t('Changed'), lineWords(lines)],
		[l10n.t('Review'), scopeWords(element)],
		[l10n.t('Branch'), worker.worktree?.branch],
	]);
	const printed = state.exitCode === undefined ? [] : (record.exit?.lines ?? []);
	return printed.length === 0 ? hover : withText(hover, plainLines(printed.join('\n')).join('\n'));
}

function cannotAnswer(): string {
	return l10n.t('it asks something that Nancy cannot answer: open its terminal');
}

/** What can be reviewed, for the menus. */
function kindOf(task: TaskView, worker: WorkerView): string {
	const of = changesOfWorker(task, worker);
	return of === undefined ? '' : 'worktree' in of ? ' worktree' : ' snapshot';
}

/** What a review of a worker in the folder itself shows. */
function scopeWords({ folder, task, worker }: OfWorker): string | undefined {
	const of = changesOfWorker(task, worker);
	if (!of || 'worktree' in of) return undefined;
	const scope = l10n.t('all changes in the folder since the task began, also yours and those of other agents');
	const others = folder
		.overview()
		.tasks.filter(each => each.record.name !== task.record.name && hasWorkedSince(each, task.record.createdAt))
		.map(each => `“${labelOf({ folder, task: each })}”`);
	const [first, second, ...more] = others;
	if (first === undefined) return scope;
	const named = [first, second, more.length > 0 ? '…' : undefined].filter(Boolean).join(', ');
	return l10n.t('{0}. These tasks have worked there since: {1}', scope, named);
}

/** In the folder itself. */
function hasWorkedSince({ workers }: TaskView, time: string): boolean {
	return workersOf(workers).some(
		each => isInFolder(each) && (each.state.phase !== 'ended' || (each.workedAt ?? each.record.startedAt) >= time),
	);
}

/** Its worktree was merged, and it has not worked since. */
function isMergedNow({ worktree, state, workedAt = '' }: WorkerView): boolean {
	const mergedAt = worktree?.mergedAt;
	const isOver = state.phase === 'idle' || state.phase === 'ended';
	return isOver && mergedAt !== undefined && mergedAt > workedAt;
}

function foldOf(delegates: readonly DelegateItem[], { files }: ShownChanges): vscode.TreeItemCollapsibleState {
	if (delegates.length + files.length === 0) return vscode.TreeItemCollapsibleState.None;
	const isAnyOpen = delegates.some(({ delegate }) => !isFinal(delegate.state));
	return isAnyOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}
