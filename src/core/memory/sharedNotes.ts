import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/atomicFile.ts';
import { NancyError } from '../../base/errors.ts';
import { fileNames } from '../../base/listing.ts';
import { phrase, type Phrase } from '../../base/phrase.ts';
import type { Note, PendingUpdate } from '../../protocol/memory.ts';
import { Category, SHARED_NOTES, type Reason } from '../../protocol/memoryNames.ts';
import { fileProblem, type FileProblem } from '../files/fileProblem.ts';
import { HeldFolder } from '../files/heldFolder.ts';
import { readPlainTextSync } from '../files/plainFile.ts';
import { redactText } from '../traffic/redact.ts';
import { notesOf, retiredTexts } from './changes.ts';
import { hashOf, lineOf, noteId, notesIn, parseNotes, type StoredNote } from './noteFile.ts';
import { hasSecret, isInstruction } from './risks.ts';
import { sourceText } from './sources.ts';
import type { ProjectFolder } from './projectFolder.ts';

const WAITS: Reason = 'from-repository';
const NAME = /^(architecture|decisions|failures)-([0-9a-f]{8})\.md$/;
/** A repository may bring any number. The rest is named and left out. */
const MOST_FILES = 200;
/** In bytes. */
const LONGEST_FILE = 8192;
/** In UTF-16 units, as of every note. */
const LONGEST_TEXT = 400;
const MOST_ANCHORS = 6;

/**
 * Writes a note into a file of the workspace, for its repository.
 * @returns the file, absolute
 * @throws NancyError `bad-usage` for a secret, `wrong-state` for a note that came from there, `bad-file` if a person has changed the file
 */
export async function writeShared(folder: string, note: StoredNote): Promise<string> {
	if (hasSecret(note.text))
		throw new NancyError('bad-usage', phrase`the note looks like it has a secret, and is not shared`);
	if (note.by === 'repository') throw new NancyError('wrong-state', phrase`the repository has brought this note`);
	const name = `${note.category}-${note.id}.md`;
	const file = join(folder, SHARED_NOTES, name);
	// What is the user's alone stays here: when it was confirmed, and that it is pinned.
	const line = lineOf({ ...note, seen: 1, seenIn: note.task, isPinned: false });
	const held = HeldFolder.openBelow(folder, join(folder, SHARED_NOTES), 0o777);
	try {
		const present = readPlainTextSync(held?.at(name) ?? file, LONGEST_FILE);
		if (present !== undefined && !isOwnFile(present, note))
			throw new NancyError(
				'bad-file',
				phrase`${file} has other words than Nancy wrote; move it away and try again`,
			);
		await writeFileAtomic(held?.at(name) ?? file, `${line}\n`, { mode: 0o666 });
	} finally {
		held?.close();
	}
	return file;
}

/** Whether a file has this note alone, as Nancy wrote it. */
function isOwnFile(text: string, { id, category }: StoredNote): boolean {
	const { parts } = parseNotes(text, category);
	const [part] = parts;
	return parts.length === 1 && part?.note?.id === id && !part.note.isUnmarked && !part.note.isEdited;
}

/**
 * Has each note that the repository brings wait for its user, unless it is known or was not wanted. What it no longer brings waits no more.
 * @returns the files that are no notes
 */
export async function gatherShared(project: ProjectFolder, folder: string): Promise<FileProblem[]> {
	const { brought, problems } = await broughtTo(folder);
	const look = async () => {
		const { notes } = await project.readableNotes();
		const wanted = proposalsOf(brought, notes, await retiredTexts(project), folder);
		const { pending } = await project.pending();
		// What another folder of the repository brings is not judged here.
		const own = pending.filter(each => each.held.includes(WAITS) && each.broughtBy === folder);
		return {
			gone: own.filter(each => !wanted.some(({ id }) => id === each.id)),
			come: wanted.filter(each => !pending.some(({ id }) => id === each.id)),
		};
	};
	const { gone, come } = await look();
	// A lock is a change of the folder: views that watch it would look again, and again.
	if (gone.length === 0 && come.length === 0) return problems;
	await project.locked(async () => {
		const now = await look();
		for (const { id } of now.gone) await rm(project.pendingFile(id), { force: true });
		for (const each of now.come) await project.writePending(each);
	});
	return problems;
}

/** The notes in a folder's files. Whatever else their marks say is not taken over. */
async function broughtTo(folder: string): Promise<{ brought: Note[]; problems: FileProblem[] }> {
	const brought: Note[] = [];
	const problems: FileProblem[] = [];
	const names = (await fileNames(join(folder, SHARED_NOTES), '.md')).filter(name => NAME.test(name)).sort();
	for (const name of names.slice(0, MOST_FILES)) {
		const [, category, id] = NAME.exec(name) ?? [];
		const text = sourceText(folder, `${SHARED_NOTES}/${name}`, LONGEST_FILE) ?? '';
		const notes = notesIn(parseNotes(text, Category.parse(category)));
		const [note] = notes;
		if (note && notes.length === 1 && note.id === id && note.text !== '' && note.text.length <= LONGEST_TEXT)
			brought.push(broughtNote(note));
		else
			problems.push(
				problemOf(
					join(folder, SHARED_NOTES, name),
					phrase`it is no note of at most ${LONGEST_TEXT} characters, as nancy notes share writes it`,
				),
			);
	}
	if (names.length > MOST_FILES)
		problems.push(
			problemOf(
				join(folder, SHARED_NOTES),
				phrase`of ${names.length} notes there, the first ${MOST_FILES} are looked at`,
			),
		);
	return { brought, problems };
}

function problemOf(file: string, what: Phrase): FileProblem {
	return fileProblem(file, new NancyError('bad-file', what));
}

function broughtNote({ id, category, text, anchors }: StoredNote): Note {
	const note: Note = {
		id,
		category,
		text: redactText(text),
		task: 0,
		by: 'repository',
		anchors: anchors.slice(0, MOST_ANCHORS),
		seen: 1,
		seenIn: 0,
		isPinned: false,
	};
	// The text as a line of Nancy's has it: by it one knows whether it was accepted or rejected before.
	const [written] = notesOf(lineOf(note), category);
	return { ...note, text: written?.text ?? note.text };
}

/** A note of the project's own is never proposed to be changed: it may have been shared from here, and edited since. */
function proposalsOf(
	brought: readonly Note[],
	notes: readonly StoredNote[],
	retired: readonly string[],
	broughtBy: string,
): PendingUpdate[] {
	return brought.flatMap(note => {
		const { id, category, text } = note;
		const target = notes.find(each => each.id === id);
		const isOthers = target !== undefined && (target.by !== 'repository' || target.category !== category);
		if (isOthers || notes.some(each => each.text === text) || retired.includes(text)) return [];
		const held: Reason[] = [WAITS];
		if (hasSecret(text)) held.push('secret');
		if (isInstruction(text, '')) held.push('instruction');
		return {
			version: 1,
			id: noteId(0, 0, `${SHARED_NOTES}\n${id}\n${text}`),
			task: 0,
			at: new Date().toISOString(),
			held,
			broughtBy,
			change: { op: 'put', category, line: lineOf(note) },
			...(target && { was: hashOf(target.text) }),
			evidence: [{ ref: `${SHARED_NOTES}/${category}-${id}.md`, quote: text }],
		};
	});
}
