import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { Anchor, Note, PendingUpdate } from '../../protocol/memory.ts';
import type { Category } from '../../protocol/memoryNames.ts';
import { notesOf } from './changes.ts';
import { anchorAt, lineHashes } from './freshness.ts';
import { folded, lineOf, noteId } from './noteFile.ts';
import { hasSecret } from './risks.ts';
import { sourceText } from './sources.ts';
import type { MemoryPlace } from './state.ts';

/** What a person writes down. */
export interface OwnWords {
	readonly category: Category;
	readonly text: string;
	/** The lines that it is about, counted from 1. */
	readonly lines?: { readonly path: string; readonly from: number; readonly to: number } | undefined;
}

/** A note of a person's own. The same words about the same category are the same note. */
export function ownNote({ category, text: typed, lines }: OwnWords, place: MemoryPlace): Note {
	const text = refuseSecret(folded(typed));
	return {
		id: noteId(0, 0, `${category}\n${text}`),
		category,
		text,
		task: 0,
		by: 'user',
		...(place.commit !== undefined && { commit: place.commit }),
		...(place.branch !== undefined && { branch: place.branch }),
		anchors: lines ? [anchorOf(lines, place.folder)] : [],
		seen: 1,
		seenIn: 0,
		isPinned: false,
	};
}

/**
 * A waiting note in a person's words. It is the person's from then on, with the same source.
 * @throws NancyError `wrong-state` for what is no note
 */
export function inOwnWords(waiting: PendingUpdate, words: string): PendingUpdate {
	const { change, id } = waiting;
	const [note] = change.op === 'put' ? notesOf(change.line, change.category) : [];
	if (change.op !== 'put' || !note)
		throw new NancyError('wrong-state', phrase`${id} is no note, whose words could be changed`);
	const text = refuseSecret(folded(words));
	return { ...waiting, change: { ...change, line: lineOf({ ...note, text, by: 'user' }, note.unknown) } };
}

/** @throws NancyError `bad-usage`: a notes file is read by every agent of the project */
function refuseSecret(text: string): string {
	if (!hasSecret(text)) return text;
	throw new NancyError('bad-usage', phrase`the note looks like it has a secret; write it without`);
}

function anchorOf({ path, from, to }: NonNullable<OwnWords['lines']>, folder: string): Anchor {
	const text = sourceText(folder, path);
	const anchor = text === undefined ? undefined : anchorAt(path, lineHashes(text), from, to);
	if (anchor) return anchor;
	throw new NancyError(
		'bad-usage',
		phrase`${path} has no lines ${from} to ${to} in ${folder}; save it and try again`,
	);
}
