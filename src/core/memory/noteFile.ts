import { fnvOf } from '../../base/fnv.ts';
import type { Anchor, Note } from '../../protocol/memory.ts';
import { NoteId, type Category } from '../../protocol/memoryNames.ts';

/** A notes file as a person has written it: each line is kept, and only notes that change are written anew. */
export interface NoteFile {
	readonly category: Category;
	readonly parts: readonly Part[];
	/** The end of its lines. */
	readonly eol: '\n' | '\r\n';
}

interface Part {
	/** With the ends of its lines. */
	readonly raw: string;
	/** Absent for lines that are no note. */
	readonly note?: StoredNote;
}

/** A note with what its file says about it. */
export interface StoredNote extends Note {
	/** Its line has no mark yet: a person has written it. */
	readonly isUnmarked: boolean;
	/** A person has changed the text since Nancy wrote it. */
	readonly isEdited: boolean;
	/** Words of the mark that this version does not know. */
	readonly unknown: readonly string[];
}

const BULLET = /^[-*+] +\S/;
const MARK = /<!-- (n:[0-9a-f]{8}(?: [^<>\r\n]*?)?) -->/;
const FENCE = /^\s*(?:```|~~~)/;

/** Reads the text of a notes file. Joined again, the parts are the text, byte for byte. */
export function parseNotes(text: string, category: Category): NoteFile {
	const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
	const parts: Part[] = [];
	const seen = new Set<NoteId>();
	let isFenced = false;
	for (let at = 0; at < lines.length; at++) {
		let raw = lines[at] ?? '';
		const isBullet = BULLET.test(raw.replace(/^\ufeff/, ''));
		if (FENCE.test(raw)) isFenced = !isFenced;
		if (isFenced || !isBullet) {
			parts.push({ raw });
			continue;
		}
		// The lines below that are indented belong to it.
		for (let next = lines[at + 1]; next !== undefined && /^(?: {2}|\t)\s*[^\s]/.test(next); next = lines[at + 1]) {
			raw += next;
			at++;
		}
		const note = noteOf(raw, category, seen);
		seen.add(note.id);
		parts.push({ raw, note });
	}
	return { category, parts, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}

export function notesText({ parts }: NoteFile): string {
	return parts.map(({ raw }) => raw).join('');
}

export function notesIn({ parts }: NoteFile): StoredNote[] {
	return parts.flatMap(({ note }) => note ?? []);
}

/** The file with this note in place of the one with its id, or at the end. */
export function withNote(file: NoteFile, note: Note, unknown: readonly string[] = []): NoteFile {
	const written = (before = '') => ({
		raw: `${before.startsWith('\ufeff') ? '\ufeff' : ''}${lineOf(note, unknown)}${file.eol}`,
		note: { ...note, isUnmarked: false, isEdited: false, unknown },
	});
	const at = file.parts.findIndex(part => part.note?.id === note.id);
	if (at >= 0) return { ...file, parts: file.parts.with(at, written(file.parts[at]?.raw)) };
	return { ...file, parts: [...ended(file), written()] };
}

/** {@link withNote}, but a note whose text stays keeps its lines as they are. */
export function putNote(file: NoteFile, note: StoredNote): NoteFile {
	const known = notesIn(file).find(({ id }) => id === note.id);
	if (known?.text === note.text) return withMark(file, note);
	return withNote(file, note, note.unknown);
}

export function withoutNote(file: NoteFile, id: NoteId): NoteFile {
	return { ...file, parts: file.parts.filter(part => part.note?.id !== id) };
}

/** The parts, with an end behind the last line. */
function ended({ parts, eol }: NoteFile): readonly Part[] {
	const last = parts.at(-1);
	if (!last || last.raw.endsWith('\n')) return parts;
	return parts.with(-1, { ...last, raw: last.raw + eol });
}

/** Gives a note a mark of its own, or the one that fits its text now. A person's words and lines stay. */
export function withMark(file: NoteFile, note: StoredNote): NoteFile {
	const at = file.parts.findIndex(part => part.note?.id === note.id);
	const raw = file.parts[at]?.raw;
	if (raw === undefined) return file;
	const mark = markOf(note, note.unknown);
	const marked = MARK.test(raw) ? raw.replace(MARK, () => mark) : raw.replace(/\s*$/, end => ` ${mark}${end}`);
	return {
		...file,
		parts: file.parts.with(at, { raw: marked, note: { ...note, isUnmarked: false, isEdited: false } }),
	};
}

/** One line, as Nancy writes it. */
export function lineOf(note: Note, unknown: readonly string[] = []): string {
	return `- ${textWithoutMark(note.text)} ${markOf(note, unknown)}`;
}

function markOf(note: Note, unknown: readonly string[]): string {
	const { id, task, by, commit, branch, anchors, seen, seenIn, isPinned } = note;
	const fields = [
		`n:${id}`,
		`t:${String(task).padStart(3, '0')}`,
		...(commit === undefined ? [] : [`c:${commit.slice(0, 12)}`]),
		...(branch === undefined ? [] : [`b:${word(branch)}`]),
		...anchors.map(({ path, from, to, hash }) => `f:${word(path)}:${from}-${to}#${hash}`),
		`by:${word(by)}`,
		...(seen > 1 ? [`seen:${seen}@${seenIn}`] : []),
		...(isPinned ? ['pin:1'] : []),
		`h:${hashOf(textWithoutMark(note.text))}`,
		...unknown,
	];
	return `<!-- ${fields.join(' ')} -->`;
}

/** Tells one text from another, whatever the white space. */
export function hashOf(text: string): string {
	return hex(fnvOf(folded(text)));
}

/** The id of a note, so that the same answer of the same task makes the same note again. */
export function noteId(task: number, index: number, text: string): NoteId {
	return NoteId.parse(hex(fnvOf(`${task}\n${index}\n${folded(text)}`)));
}

export function folded(text: string): string {
	return /\s\s|[^\S ]/.test(text) ? text.replace(/\s+/g, ' ').trim() : text.trim();
}

/** Nothing in a note's text ends or begins a comment. */
function textWithoutMark(text: string): string {
	return folded(text).replaceAll('<!--', '<! --').replaceAll('-->', '-- >');
}

/** @param taken ids of notes above. A bullet that has one of them is a copy of a person's, whatever its mark says */
function noteOf(raw: string, category: Category, taken: ReadonlySet<NoteId>): StoredNote {
	const mark = MARK.exec(raw);
	const around = mark ? `${raw.slice(0, mark.index)} ${raw.slice(mark.index + mark[0].length)}` : raw;
	const text = folded(around.replace(/^\ufeff?[-*+] +/, ''));
	const fields = fieldsOf(mark?.[1] ?? '');
	const marked = NoteId.safeParse(fields.n).data;
	const isUnmarked = marked === undefined || taken.has(marked);
	const { t, c, b, by, seen, pin, h, anchors, unknown } = isUnmarked ? fieldsOf('') : fields;
	const [times, seenIn] = (seen ?? '').split('@').map(Number);
	const task = Number(t) || 0;
	const isEdited = h !== undefined && h !== hashOf(text);
	return {
		id: isUnmarked ? ownId(category, text, taken) : marked,
		category,
		text,
		task,
		by: isUnmarked || isEdited ? 'user' : unword(by ?? 'user'),
		...(c !== undefined && { commit: c }),
		...(b !== undefined && { branch: unword(b) }),
		anchors,
		seen: times || 1,
		seenIn: seenIn || task,
		isPinned: pin === '1',
		isUnmarked,
		isEdited,
		unknown,
	};
}

/** The id of a person's own bullet, the same until it gets a mark. */
function ownId(category: Category, text: string, taken: ReadonlySet<NoteId>): NoteId {
	for (let same = 0; ; same++) {
		const id = NoteId.parse(hex(fnvOf(`user\n${category}\n${text}${same === 0 ? '' : `\n${same}`}`)));
		if (!taken.has(id)) return id;
	}
}

const KNOWN = ['n', 't', 'c', 'b', 'by', 'seen', 'pin', 'h'] as const;
const ANCHOR = /^f:([^:#\s]+):(\d{1,7})-(\d{1,7})#([0-9a-f]{8})$/;

type Fields = Partial<Record<(typeof KNOWN)[number], string>> & { anchors: Anchor[]; unknown: string[] };

function fieldsOf(mark: string): Fields {
	const fields: Fields = { anchors: [], unknown: [] };
	for (const field of mark.split(' ')) {
		if (field === '') continue;
		const end = field.indexOf(':');
		const key = KNOWN.find(each => each.length === end && field.startsWith(each));
		const [, path, from, to, hash] = (field.startsWith('f:') && ANCHOR.exec(field)) || [];
		if (path !== undefined && hash !== undefined)
			fields.anchors.push({ path: unword(path), from: Number(from), to: Number(to), hash });
		else if (key === undefined) fields.unknown.push(field);
		else fields[key] = field.slice(end + 1);
	}
	return fields;
}

/** A text as one word of a mark, which ends neither the field nor the comment. */
function word(text: string): string {
	return text.replace(/[\s%<>#:]|--/g, found => Array.from(found, each => `%${hex2(each)}`).join(''));
}

function unword(text: string): string {
	if (!text.includes('%')) return text;
	return text.replace(/%([0-9a-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function hex2(character: string): string {
	return (character.charCodeAt(0) & 0xff).toString(16).padStart(2, '0');
}

function hex(value: number): string {
	return value.toString(16).padStart(8, '0');
}
