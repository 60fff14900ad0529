import * as vscode from 'vscode';
import { l10n } from 'vscode';
import type { Reason } from '../../protocol/memoryNames.ts';
import { firstLine, formatCount, formatDateTime, formatDollars, formatMinutes } from '../kit/format.ts';
import { row, type Row } from '../kit/row.ts';
import { tooltip, withText } from '../kit/tooltip.ts';
import {
	notesOf,
	type MemoryTaskItem,
	type NoteItem,
	type ProjectItem,
	type ProposalItem,
	type Section,
	type SectionItem,
} from './memoryItems.ts';
import { extractionWords, freshnessWords, proposedWords, reasonWords, sectionWords } from './memoryWords.ts';
import { placeIn, shortPlace } from './notePlaces.ts';

/** What a person must look at closely. */
const RISKY: ReadonlySet<Reason> = new Set(['secret', 'instruction', 'from-outside', 'contradicts']);
const ATTENTION = new vscode.ThemeColor('notificationsWarningIcon.foreground');

const ICONS: Readonly<Record<Section, string>> = {
	review: 'inspect',
	plan: 'checklist',
	failures: 'warning',
	decisions: 'milestone',
	architecture: 'layers',
	tasks: 'history',
};
const PROPOSED = { add: 'add', amend: 'edit', retire: 'trash', plan: 'checklist' } as const;

/** `my-feature   main · 2 to review` */
export function projectRow(item: ProjectItem, folderName: string | undefined): Row {
	const { project, branch, status, pending } = item.project;
	const made = row(item.key, project, vscode.TreeItemCollapsibleState.Expanded);
	made.contextValue = status === 'paused' ? 'project.paused' : 'project';
	made.iconPath = new vscode.ThemeIcon(status === 'paused' ? 'debug-pause' : 'book');
	made.description = [
		status === 'paused' ? l10n.t('paused') : undefined,
		pending > 0 ? l10n.t('{0} to review', pending) : undefined,
		pending + item.project.known.tasks.length + item.project.known.notes.length === 0
			? l10n.t('no notes yet')
			: undefined,
		branch,
		folderName,
	]
		.filter(Boolean)
		.join(' · ');
	made.accessibilityInformation = { label: l10n.t('Project {0}, {1}', project, made.description) };
	return made;
}

export function projectHover({ project: own }: ProjectItem): vscode.MarkdownString {
	const { inputTokens, outputTokens, costUsd, notes } = own;
	const used = inputTokens + outputTokens;
	return tooltip(own.project, [
		[l10n.t('Repository'), own.repository],
		[l10n.t('Branch'), own.branch],
		[l10n.t('Reads the notes of'), own.parent],
		[l10n.t('Tasks'), String(own.tasks)],
		[l10n.t('Notes'), String(Object.values(notes).reduce((sum, count) => sum + count, 0))],
		[l10n.t('To review'), own.pending > 0 ? String(own.pending) : undefined],
		[l10n.t('Tasks without notes yet'), own.due > 0 ? String(own.due) : undefined],
		[
			l10n.t('Making notes took'),
			used === 0
				? l10n.t('nothing so far')
				: l10n.t('{0} tokens in, {1} out', formatCount(inputTokens), formatCount(outputTokens)),
		],
		[l10n.t('Cost'), costUsd > 0 ? formatDollars(costUsd) : undefined],
	]);
}

export function sectionRow(item: SectionItem): Row {
	const { of, section } = item;
	const { known } = of.project;
	const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
	const fold = section === 'plan' ? None : section === 'tasks' || section === 'architecture' ? Collapsed : Expanded;
	const made = row(`${of.key}/${section}`, sectionWords(section), fold);
	made.contextValue = `memory.${section}`;
	const isWaiting = section === 'review';
	made.iconPath = new vscode.ThemeIcon(ICONS[section], isWaiting ? ATTENTION : undefined);
	if (section === 'plan') {
		made.description = firstLine(known.plan.replace(/^Task \d+: /, ''), 120);
		made.command = { command: 'nancy.openNote', title: l10n.t('Open Plan'), arguments: [item] };
	} else {
		const count =
			section === 'review'
				? known.pending.length
				: section === 'tasks'
					? known.tasks.length
					: notesOf(known, section).length;
		made.description = String(count);
	}
	made.accessibilityInformation = { label: `${made.label}, ${made.description}` };
	return made;
}

/** The label is the note. */
export function noteRow(item: NoteItem): Row {
	const { of, note } = item;
	const made = row(`${of.key}/note/${note.id}`, note.text);
	const freshness = freshnessWords(note.freshness);
	const place = placeIn(note.places[0]);
	made.contextValue = note.pinned ? 'note.pinned' : 'note';
	made.iconPath =
		freshness !== undefined
			? new vscode.ThemeIcon(ICON_OF[note.freshness] ?? 'note', ATTENTION)
			: new vscode.ThemeIcon(note.pinned ? 'pinned' : 'note');
	made.description = [freshness, place && shortPlace(place)].filter(Boolean).join(' · ');
	made.command = { command: 'nancy.openNote', title: l10n.t('Show Source'), arguments: [item] };
	made.accessibilityInformation = {
		label: [note.text, note.pinned ? l10n.t('pinned') : '', made.description].filter(Boolean).join(', '),
	};
	return made;
}

const ICON_OF: Partial<Record<NoteItem['note']['freshness'], string>> = {
	changed: 'git-compare',
	gone: 'circle-slash',
	elsewhere: 'git-branch',
};

export function noteHover({ of, note }: NoteItem, agentName: (driver: string) => string): vscode.MarkdownString {
	const task = of.project.known.tasks.find(each => each.task === note.task);
	const hover = tooltip(note.text, [
		[l10n.t('From'), sourceWords(note.by, note.task, task?.prompt)],
		[
			l10n.t('Agent'),
			note.by === 'user' ? l10n.t('in your words') : note.by === 'repository' ? undefined : agentName(note.by),
		],
		[l10n.t('Commit'), note.commit],
		[l10n.t('Branch'), note.branch],
		[l10n.t('Lines'), note.places.join(', ')],
		[l10n.t('State'), freshnessWords(note.freshness) ?? (note.places.length > 0 ? l10n.t('lines stand') : '')],
		[l10n.t('Confirmed'), note.seen > 1 ? l10n.t('by {0} tasks', note.seen) : undefined],
		[l10n.t('Pinned'), note.pinned ? l10n.t('told to every task') : undefined],
	]);
	return withQuotes(hover, note.evidence);
}

export function proposalRow(item: ProposalItem): Row {
	const { of, waiting } = item;
	const made = row(`${of.key}/waiting/${waiting.id}`, waiting.text);
	made.contextValue = `proposal.${waiting.what}`;
	const isRisky = waiting.held.some(each => RISKY.has(each));
	made.iconPath = new vscode.ThemeIcon(PROPOSED[waiting.what], isRisky ? ATTENTION : undefined);
	made.description = [...waiting.held.map(reasonWords), proposedWords(waiting.what)].join(' · ');
	made.command = { command: 'nancy.reviewNote', title: l10n.t('Review'), arguments: [item] };
	made.accessibilityInformation = { label: l10n.t('To review: {0}, {1}', waiting.text, made.description) };
	return made;
}

export function proposalHover(item: ProposalItem, agentName: (driver: string) => string): vscode.MarkdownString {
	const { of, waiting } = item;
	const task = of.project.known.tasks.find(each => each.task === waiting.task);
	const hover = tooltip(waiting.text, [
		[l10n.t('Waits'), waiting.held.map(reasonWords).join(', ')],
		[l10n.t('Proposes'), proposedWords(waiting.what)],
		[l10n.t('Now'), waiting.note?.text],
		[l10n.t('From'), waiting.task === 0 ? l10n.t('the repository') : taskWords(waiting.task, task?.prompt)],
		[l10n.t('Agent'), task && agentName(task.agent)],
	]);
	return withQuotes(hover, waiting.evidence);
}

export function taskRow(item: MemoryTaskItem): Row {
	const { of, task } = item;
	const made = row(`${of.key}/task/${task.task}`, firstLine(task.summary ?? task.prompt, 300));
	made.contextValue = `memoryTask.${task.extraction}`;
	const isBad = task.ok === false || task.extraction === 'failed';
	made.iconPath = new vscode.ThemeIcon(isBad ? 'error' : task.ok === undefined ? 'circle-outline' : 'pass');
	made.description = [String(task.task), extractionWords(task), formatMinutes(task.startedAt)]
		.filter(Boolean)
		.join(' · ');
	if (task.digest !== undefined)
		made.command = { command: 'nancy.openNote', title: l10n.t('Open Record'), arguments: [item] };
	made.accessibilityInformation = { label: l10n.t('Task {0}: {1}, {2}', task.task, made.label, made.description) };
	return made;
}

export function taskHover({ task }: MemoryTaskItem, agentName: (driver: string) => string): vscode.MarkdownString {
	const hover = tooltip(l10n.t('Task {0}', task.task), [
		[l10n.t('Agent'), agentName(task.agent)],
		[l10n.t('Began'), formatDateTime(task.startedAt)],
		[l10n.t('Outcome'), outcomeWords(task.ok)],
		[l10n.t('Notes'), extractionWords(task)],
		[l10n.t('Summary'), task.summary],
	]);
	return withText(hover, task.prompt);
}

function outcomeWords(ok: boolean | undefined): string {
	if (ok === undefined) return l10n.t('not ended');
	return ok ? l10n.t('done') : l10n.t('failed');
}

/** Where a note comes from. */
function sourceWords(by: string, number: number, prompt: string | undefined): string {
	if (by === 'repository') return l10n.t('the repository');
	return number === 0 ? l10n.t('you') : taskWords(number, prompt);
}

function taskWords(number: number, prompt: string | undefined): string {
	return prompt === undefined ? l10n.t('task {0}', number) : l10n.t('task {0}, “{1}”', number, firstLine(prompt, 80));
}

function withQuotes(
	hover: vscode.MarkdownString,
	evidence: readonly { ref: string; quote: string }[],
): vscode.MarkdownString {
	if (evidence.length === 0) return hover;
	return withText(hover, evidence.map(({ ref, quote }) => `${ref}: ${quote}`).join('\n\n'));
}
