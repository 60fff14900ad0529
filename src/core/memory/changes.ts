import type { Change } from '../../protocol/memory.ts';
import type { Category, NoteId } from '../../protocol/memoryNames.ts';
import {
	folded,
	hashOf,
	noteId,
	notesIn,
	notesText,
	parseNotes,
	putNote,
	withNote,
	withoutNote,
	type NoteFile,
	type StoredNote,
} from './noteFile.ts';
import { CATEGORIES, type ProjectFolder } from './projectFolder.ts';

export const PLAN = 'plan.md';
const RETIRED = 'retired.md';
const REPLACED = ' (replaced)';
const PLAN_MARK = /^<!-- plan h:([0-9a-f]{8}) -->\r?\n?/;

/**
 * Carries out changes of the notes, each file once and whole. What is done already is not done again. A file that cannot be read is left
 * alone, with an error that names it. Under the project's lock.
 */
export async function applyChanges(project: ProjectFolder, changes: readonly Change[]): Promise<void> {
	await retire(project, changes);
	for (const category of CATEGORIES) await project.changeNotes(category, file => changed(file, changes));
	for (const change of changes)
		if (change.op === 'plan') await project.changeText(PLAN, () => markedPlan(change.text));
}

/** A notes file as these changes make it. */
export function changed(before: NoteFile, changes: readonly Change[]): NoteFile {
	let file = before;
	// A bullet without a mark is a person's own, and so is one that a person has edited.
	for (const note of notesIn(file)) if (note.isUnmarked || note.isEdited) file = putNote(file, note);
	for (const change of changes) {
		if (change.op === 'retire') file = withoutNote(file, change.id);
		if (change.op !== 'put' || change.category !== file.category) continue;
		for (const note of notesOf(change.line, file.category)) file = putNote(file, note);
	}
	return file;
}

/** The texts of notes that were retired or rejected. One that gave way to another text may be said again. */
export async function retiredTexts(project: ProjectFolder): Promise<string[]> {
	return notesIn(parseNotes(await project.text(RETIRED), 'failures')).flatMap(({ text }) =>
		text.endsWith(REPLACED) ? [] : text.replace(/ \((?:retired|rejected)[^()]*\)$/, ''),
	);
}

/** The plan as a person reads it, and whether Nancy wrote all of it. */
export async function planOf(project: ProjectFolder): Promise<{ text: string; isOwn: boolean }> {
	const whole = await project.text(PLAN);
	const text = whole.replace(/^\ufeff/, '').replace(PLAN_MARK, '');
	const [, hash] = PLAN_MARK.exec(whole) ?? [];
	return { text, isOwn: text.trim() === '' || hash === hashOf(text) };
}

/** Notes a text as one that is not wanted again. Under the project's lock. */
export async function noteRejected(project: ProjectFolder, note: StoredNote): Promise<void> {
	await addRetired(project, [{ note, why: 'rejected' }]);
}

/** Keeps the text of a note that gives way to another text. Under the project's lock. */
export async function noteReplaced(project: ProjectFolder, note: StoredNote): Promise<void> {
	await addRetired(project, [{ note, why: 'replaced' }]);
}

export function notesOf(line: string, category: Category): StoredNote[] {
	return notesIn(parseNotes(`${line}\n`, category));
}

/** Into the list of retired ones first: after a kill in between, a note is in both and is taken out later. */
async function retire(project: ProjectFolder, changes: readonly Change[]): Promise<void> {
	const gone: { note: StoredNote; why: string }[] = [];
	for (const change of changes) {
		if (change.op !== 'retire') continue;
		for (const category of CATEGORIES) {
			const note = notesIn(await project.notes(category)).find(({ id }) => id === change.id);
			if (note) gone.push({ note, why: `retired: ${folded(change.reason).replace(/[()]/g, '')}` });
		}
	}
	await addRetired(project, gone);
}

async function addRetired(project: ProjectFolder, gone: readonly { note: StoredNote; why: string }[]): Promise<void> {
	if (gone.length === 0) return;
	await project.changeText(RETIRED, before => {
		let file: NoteFile = parseNotes(before, 'failures');
		for (const { note, why } of gone) {
			const text = folded(`${note.text} (${why})`);
			const there = notesIn(file);
			if (there.some(each => each.text === text)) continue;
			// A note may give way to one text after another.
			const id = there.some(each => each.id === note.id) ? noteId(note.task, 0, text) : note.id;
			file = withNote(file, { ...note, id, text }, note.unknown);
		}
		return notesText(file);
	});
}

export function markedPlan(text: string): string {
	const trimmed = `${text.trim()}\n`;
	return `<!-- plan h:${hashOf(trimmed)} -->\n${trimmed}`;
}

/** The id of what a task proposes for the plan. */
export function planId(task: number, text: string): NoteId {
	// An answer has at most a dozen updates.
	return noteId(task, 99, text);
}
