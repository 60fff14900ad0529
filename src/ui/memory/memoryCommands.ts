import { join, relative } from 'node:path';
import * as vscode from 'vscode';
import { l10n } from 'vscode';
import { NancyError } from '../../base/errors.ts';
import { isInside } from '../../base/inside.ts';
import { oneByOne } from '../../base/oneByOne.ts';
import { realOr } from '../../base/realPath.ts';
import { VIEWS } from '../contributions.ts';
import type { Folders } from '../folders.ts';
import { ask, inform, warn } from '../kit/messages.ts';
import { openFile } from '../kit/openFile.ts';
import { plain } from '../kit/plain.ts';
import { cancellable } from '../kit/progress.ts';
import type { Operations } from '../ports.ts';
import { askName, askNext, askNote, askWords, pickProject, selectedLines } from './askProject.ts';
import { MemoryTaskItem, NoteItem, ProposalItem, SectionItem, projectItems, type ProjectItem } from './memoryItems.ts';
import { extractedWords, proposedWords, reasonWords } from './memoryWords.ts';
import { placeIn } from './notePlaces.ts';
import type { MemoryOperations } from './memoryPorts.ts';
import type { NoteReviews } from './noteReviews.ts';
import type { ProjectTerminals } from './projectTerminals.ts';
import type { Remembered } from './remembered.ts';

export interface MemoryCollaborators {
	folders: Folders;
	operations: Operations;
	projects: MemoryOperations;
	remembered: Remembered;
	noteReviews: NoteReviews;
	projectTerminals: ProjectTerminals;
}

type Args = readonly unknown[];

/** In letters: as much as a dialog shows. */
const MOST_SHOWN = 8000;
/** With them, asking once more costs another call. */
const ASKED_BEFORE = ['merged', 'skipped', 'failed'];

/** The commands for what Nancy remembers. */
export function memoryHandlers(own: MemoryCollaborators) {
	return {
		'nancy.rememberProject': () => remember(own),
		'nancy.nextTask': ([item]: Args) => nextTask(own, item),
		'nancy.openProjectTerminal': async ([item]: Args) =>
			own.projectTerminals.open(await pickProject(own.remembered, item)),
		'nancy.addNote': () => addNote(own),
		'nancy.extractNotes': ([item]: Args) => extract(own, item),
		'nancy.pauseMemory': ([item]: Args) => setStatus(own, item, 'paused'),
		'nancy.resumeMemory': ([item]: Args) => setStatus(own, item, 'active'),
		'nancy.reviewNotes': () => reviewNext(own),
		'nancy.reviewNote': ([item]: Args) => (item instanceof ProposalItem ? own.noteReviews.open(item) : undefined),
		'nancy.acceptNote': (args: Args) => decide(own, args, 'accept'),
		'nancy.rejectNote': (args: Args) => decide(own, args, 'reject'),
		'nancy.editNote': (args: Args) => edit(own, args),
		'nancy.retireNote': (args: Args) => change(own, args, 'retire'),
		'nancy.pinNote': (args: Args) => change(own, args, 'pin'),
		'nancy.unpinNote': (args: Args) => change(own, args, 'pin'),
		'nancy.shareNote': ([item]: Args) => share(own, item),
		'nancy.openNote': ([item]: Args) => openSource(item),
	};
}

async function remember(own: MemoryCollaborators): Promise<void> {
	await own.remembered.refresh();
	const taken = projectItems(own.remembered.list()).map(({ project }) => project.project);
	const { folder, project } = await askName(own.folders, taken);
	await own.projects.remember(folder, project);
	await own.remembered.refresh();
	const next = l10n.t('Next Task…');
	const text = l10n.t('Nancy remembers “{0}” from its next task on. Its notes are in the view Memory.', project);
	await vscode.commands.executeCommand(`${VIEWS.memory}.focus`);
	if ((await inform(text, next)) !== next) return;
	const made = projectItems(own.remembered.list()).find(
		each => each.folder === folder && each.project.project === project,
	);
	await nextTask(own, made);
}

async function nextTask({ operations, remembered, projectTerminals }: MemoryCollaborators, called: unknown) {
	const item = await pickProject(remembered, called);
	const session = await askNext(item.project.project, await operations.agents());
	if (session) await projectTerminals.open(item, session);
}

async function addNote({ projects, remembered }: MemoryCollaborators): Promise<void> {
	const hasLines = ({ folder }: ProjectItem) => selectedLines(folder) !== undefined;
	await remembered.refresh();
	if (projectItems(remembered.list()).length > 0 && !projectItems(remembered.list()).some(hasLines))
		throw new NancyError('bad-usage', l10n.t('Select lines of a file in the folder first.'));
	// Its lines are read from the disk.
	await vscode.window.activeTextEditor?.document.save();
	const { folder, project } = await pickProject(remembered, undefined, hasLines);
	const lines = selectedLines(folder);
	if (!lines) return;
	await projects.add(folder, project.project, await askNote(lines));
	await remembered.refresh();
}

async function extract({ projects, remembered }: MemoryCollaborators, called: unknown): Promise<void> {
	const isTask = called instanceof MemoryTaskItem;
	const { folder, project } = isTask ? called.of : await pickProject(remembered, called);
	const one = isTask ? { task: called.task.task, again: ASKED_BEFORE.includes(called.task.extraction) } : undefined;
	const title = l10n.t('Making notes of “{0}”…', project.project);
	const done = await cancellable(title, signal => projects.extract(folder, project.project, one, signal));
	await remembered.refresh();
	void (done.state === 'failed' ? warn(extractedWords(done)) : inform(extractedWords(done)));
}

async function setStatus(own: MemoryCollaborators, called: unknown, status: 'active' | 'paused'): Promise<void> {
	const { project } = await pickProject(own.remembered, called, each => each.project.status !== status);
	await own.projects.setStatus(project.project, status);
	await own.remembered.refresh();
}

async function reviewNext({ remembered, noteReviews }: MemoryCollaborators): Promise<void> {
	await remembered.refresh();
	const next = noteReviews.next();
	if (next) await noteReviews.open(next);
	else void inform(l10n.t('No note waits for your review.'));
}

/** In its tab, a proposal is in sight. From rows, it is shown whole first. */
async function decide(own: MemoryCollaborators, args: Args, action: 'accept' | 'reject'): Promise<void> {
	const rows = chosen(args, ProposalItem);
	const shown = shownTo(own, args);
	const items = rows.length > 0 ? rows : shown ? [shown] : [];
	if (items.length === 0) return;
	if (rows.length > 0 && !(await isMeant(items, action))) return;
	await each(own, items, ({ of, waiting }) => own.projects.review(action, of.project.project, waiting.id));
}

/** What the tab shows, for a command that comes from there. A key on a row of another kind means nothing. */
function shownTo({ noteReviews }: MemoryCollaborators, [from]: Args): ProposalItem | undefined {
	return from === undefined || from instanceof vscode.Uri ? noteReviews.active() : undefined;
}

async function isMeant(items: readonly ProposalItem[], action: 'accept' | 'reject'): Promise<boolean> {
	const whole = items.map(wholeWords).join('\n\n');
	if (plain(whole, Infinity).length > MOST_SHOWN)
		throw new NancyError('bad-usage', l10n.t('These are too many to be shown whole. Choose fewer.'));
	const button = action === 'accept' ? l10n.t('Accept') : l10n.t('Reject');
	return (await ask(questionOf(items.length, action), whole, button)) === button;
}

function questionOf(count: number, action: 'accept' | 'reject'): string {
	if (action === 'accept')
		return count === 1 ? l10n.t('Accept this note?') : l10n.t('Accept these {0} notes?', count);
	return count === 1 ? l10n.t('Reject this note?') : l10n.t('Reject these {0} notes?', count);
}

/** All that a person decides about. */
function wholeWords({ waiting: { text, what, held, note, evidence } }: ProposalItem): string {
	return [
		text,
		note && l10n.t('Now: {0}', note.text),
		`${proposedWords(what)}: ${held.map(reasonWords).join(', ')}`,
		...evidence.map(({ quote }) => l10n.t('“{0}”', quote)),
	]
		.filter(Boolean)
		.join('\n');
}

async function edit(own: MemoryCollaborators, args: Args): Promise<void> {
	const item = chosen(args, ProposalItem)[0] ?? shownTo(own, args);
	if (!item) return;
	const { of, waiting } = item;
	if (waiting.what !== 'add' && waiting.what !== 'amend')
		throw new NancyError('bad-usage', l10n.t('Only the words of a note can be edited here.'));
	const words = await askWords(waiting.text);
	await own.projects.review('accept', of.project.project, waiting.id, words);
	await own.remembered.refresh();
}

async function change(own: MemoryCollaborators, args: Args, action: 'retire' | 'pin'): Promise<void> {
	await each(own, chosen(args, NoteItem), ({ of, note }) => own.projects.review(action, of.project.project, note.id));
}

async function share({ projects }: MemoryCollaborators, item: unknown): Promise<void> {
	if (!(item instanceof NoteItem)) return;
	const { of, note } = item;
	const file = await projects.share(of.folder, of.project.project, note.id);
	const show = l10n.t('Open File');
	const text = l10n.t('The note is in {0}, for you to commit.', relative(of.folder.path, file));
	if ((await inform(text, show)) === show) await openFile(file);
}

/** An error of one does not keep the others from it. */
async function each<T>({ remembered }: MemoryCollaborators, items: readonly T[], act: (item: T) => Promise<void>) {
	const { failures } = await oneByOne(items, act);
	await remembered.refresh();
	const [first] = failures;
	if (first) throw first.error;
}

/** The row that a menu was opened on, or all selected rows of its kind if it is one of them. */
function chosen<T>([item, selected]: Args, kind: abstract new (...args: never[]) => T): T[] {
	const all: readonly unknown[] = Array.isArray(selected) && selected.includes(item) ? selected : [item];
	return all.flatMap(one => (one instanceof kind ? [one] : []));
}

/** The lines of a note, or else the record of its task; the plan; the record of a task. */
async function openSource(item: unknown): Promise<void> {
	if (item instanceof SectionItem && item.section === 'plan')
		return openFile(join(item.of.project.known.folder, 'notes', 'plan.md'));
	if (item instanceof MemoryTaskItem && item.task.digest !== undefined) return openFile(item.task.digest);
	if (!(item instanceof NoteItem)) return;
	const { of, note } = item;
	const place = note.freshness === 'gone' || note.freshness === 'elsewhere' ? undefined : placeIn(note.places[0]);
	const root = of.folder.path;
	const file = join(root, place?.path ?? '');
	// A person, or an agent, may have made it a link since.
	if (place && isInside(root, file) && isInside(realOr(root), realOr(file))) {
		const range = new vscode.Range(place.from - 1, 0, place.to - 1, Number.MAX_SAFE_INTEGER);
		const uri = vscode.Uri.file(file);
		await vscode.window.showTextDocument(uri, { preview: true, selection: range });
		return;
	}
	const { known } = of.project;
	const digest = known.tasks.find(({ task }) => task === note.task)?.digest;
	await openFile(digest ?? join(known.folder, 'notes', `${note.category}.md`));
}
