import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { NoteId, ProjectName } from '../../protocol/memoryNames.ts';
import { applyChanges } from './changes.ts';
import { lineOf, type StoredNote } from './noteFile.ts';
import { inOwnWords, ownNote, type OwnWords } from './ownNote.ts';
import { waitingOf } from './proposal.ts';
import { settle } from './settling.ts';
import { writeShared } from './sharedNotes.ts';
import type { Checkout, MemoryPlace } from './state.ts';
import type { MemoryStore } from './store.ts';

/** What a person does with the notes of a project. */
export class ProjectNotes {
	constructor(private readonly store: MemoryStore) {}

	/** Adds a note of a person's own. */
	async add(name: ProjectName, words: OwnWords, place: MemoryPlace): Promise<NoteId> {
		const project = this.store.folderOf(name);
		await project.record();
		const note = ownNote(words, place);
		await project.locked(() => applyChanges(project, [{ op: 'put', category: note.category, line: lineOf(note) }]));
		return note.id;
	}

	/**
	 * Accepts or rejects what waits, retires or pins a note.
	 * @param words to be accepted instead, which are the person's own then
	 */
	async review(
		action: 'accept' | 'reject' | 'retire' | 'pin',
		name: ProjectName,
		id: NoteId,
		words?: string,
	): Promise<string> {
		const project = this.store.folderOf(name);
		await project.record();
		return project.locked(async () => {
			const { notes } = await project.readableNotes();
			if (action === 'accept' || action === 'reject') {
				const waiting = await waitingOf(project, id);
				const settled = words === undefined ? waiting : inOwnWords(waiting, words);
				return settle(project, settled, action, notes);
			}
			const note = noteOf(notes, id);
			const change =
				action === 'retire'
					? { op: 'retire' as const, id, reason: 'by the user' }
					: {
							op: 'put' as const,
							category: note.category,
							line: lineOf({ ...note, isPinned: !note.isPinned }, note.unknown),
						};
			await applyChanges(project, [change]);
			return note.text;
		});
	}

	/**
	 * Writes a note into a file of the folder, for its repository.
	 * @throws NancyError `no-task`, `wrong-state` in another repository, and see {@link writeShared}
	 */
	async share(
		name: ProjectName,
		id: NoteId,
		{ folder, repository }: Pick<Checkout, 'folder' | 'repository'>,
	): Promise<{ text: string; file: string }> {
		const project = this.store.folderOf(name);
		const record = await project.record();
		if (record.repository !== repository)
			throw new NancyError(
				'wrong-state',
				phrase`project "${name}" is of ${record.repository}, and its notes are not shared in ${repository}`,
			);
		const { notes } = await project.readableNotes();
		const note = noteOf(notes, id);
		return { text: note.text, file: await writeShared(folder, note) };
	}
}

function noteOf(notes: readonly StoredNote[], id: NoteId): StoredNote {
	const note = notes.find(each => each.id === id);
	if (note) return note;
	throw new NancyError('no-task', phrase`there is no note ${id}; nancy notes <project> lists all`);
}
