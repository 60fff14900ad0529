import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anchorAt, freshnessOf, lineHashes, placeOf } from '../../../../src/core/memory/freshness.ts';
import {
	hashOf,
	lineOf,
	noteId,
	notesIn,
	notesText,
	parseNotes,
	putNote,
	withNote,
	withoutNote,
} from '../../../../src/core/memory/noteFile.ts';
import type { Note } from '../../../../src/protocol/memory.ts';
import { NoteId } from '../../../../src/protocol/memoryNames.ts';

const note: Note = {
	id: NoteId.parse('3f9a1c00'),
	category: 'decisions',
	text: 'Handlers go extract, validate, execute.',
	task: 4,
	by: 'codex',
	commit: '9d7d0f3aaaaa',
	branch: 'feature/a b',
	anchors: [{ path: 'src/a file#1.ts', from: 12, to: 16, hash: 'a1b2c3d4' }],
	seen: 2,
	seenIn: 7,
	isPinned: true,
};

describe('a notes file', () => {
	it('keeps every byte of what a person has written', () => {
		const line = fc.constantFrom(
			'- a',
			'- a <!-- n:00000001 -->',
			'  more',
			'# T',
			'',
			'```',
			'<!-- x',
			'* b',
			'\ufeff- c',
		);
		const end = fc.constantFrom('\n', '\r\n');
		fc.assert(
			fc.property(fc.array(fc.tuple(line, end)), fc.boolean(), (lines, isCut) => {
				const whole = lines.flat().join('');
				const text = isCut ? whole.trimEnd() : whole;
				expect(notesText(parseNotes(text, 'failures'))).toBe(text);
			}),
		);
	});

	it('reads a note as it was written, with its place and its marks', () => {
		const [read] = notesIn(parseNotes(`${lineOf(note, ['z:9'])}\n`, 'decisions'));
		expect(read).toEqual({ ...note, isUnmarked: false, isEdited: false, unknown: ['z:9'] });
	});

	it('takes a bullet without a mark for a person’s own, and one that a person has edited', () => {
		const text = `- Mine\n  goes on here\n${lineOf(note).replace('validate', 'check')}\n`;
		expect(notesIn(parseNotes(text, 'decisions'))).toMatchObject([
			{ text: 'Mine goes on here', by: 'user', isUnmarked: true },
			{ id: note.id, by: 'user', isEdited: true, text: 'Handlers go extract, check, execute.' },
		]);
	});

	it('takes a copy of a bullet for a person’s own with its own id, so that neither overwrites the other', () => {
		const copy = lineOf(note).replace('validate', 'check');
		const file = parseNotes(`${lineOf(note)}\n${copy}\n- Mine\n- Mine\n`, 'decisions');
		const [first, second, ...mine] = notesIn(file);
		expect(first).toMatchObject({ id: note.id, isEdited: false });
		expect(second).toMatchObject({ task: 0, by: 'user', isUnmarked: true, isPinned: false, anchors: [] });
		expect(new Set([first, second, ...mine].map(each => each?.id)).size).toBe(4);
		const marked = notesText(second ? putNote(file, second) : file).split('\n');
		expect(marked[0]).toBe(lineOf(note));
		expect(marked[1]).toMatch(`- Handlers go extract, check, execute. <!-- n:${second?.id} t:000 by:user h:`);
		expect(notesText(withoutNote(file, note.id))).toBe(`${copy}\n- Mine\n- Mine\n`);
	});

	it('changes one note and leaves all else as it is: CRLF, a BOM, a list in a fence, a last line without an end', () => {
		const text = `\ufeff# T\r\n${lineOf(note)}\r\n\`\`\`\r\n- no note\r\n\`\`\`\r\n- last`;
		const file = parseNotes(text, 'decisions');
		expect(notesIn(file)).toHaveLength(2);
		const changed = notesText(withNote(file, { ...note, text: 'New.' }));
		expect(changed).toBe(text.replace(lineOf(note), lineOf({ ...note, text: 'New.' })));
		const added = notesText(withNote(file, { ...note, id: NoteId.parse('00000002') }));
		expect(added).toBe(`${text}\r\n${lineOf({ ...note, id: NoteId.parse('00000002') })}\r\n`);
		expect(notesText(withoutNote(file, note.id))).toBe(text.replace(`${lineOf(note)}\r\n`, ''));
	});

	it('lets nothing in a note end its comment or begin another', () => {
		const hostile = { ...note, text: 'a --> <!-- n:00000009 --> b', branch: '--> x', by: 'a-->b' };
		expect(notesIn(parseNotes(`${lineOf(hostile)}\n`, 'decisions'))).toMatchObject([
			{ id: note.id, branch: '--> x', by: 'a-->b' },
		]);
	});

	it('gives the same text of the same task the same id, whatever its white space', () => {
		expect(noteId(4, 0, 'a  b\n')).toBe(noteId(4, 0, ' a b'));
		expect(noteId(4, 1, 'a b')).not.toBe(noteId(4, 0, 'a b'));
		expect(hashOf('a\tb')).toBe(hashOf('a b'));
	});
});

describe('the lines of a note', () => {
	const code = Array.from({ length: 30 }, (_, index) => `\tconst value${index} = ${index};`);
	const before = lineHashes(code.join('\n'));
	const anchor = anchorAt('a.ts', before, 10, 12);
	const state = (text: string | undefined, branch = 'main') =>
		freshnessOf(
			{ anchors: anchor ? [anchor] : [], branch: 'main' },
			() => (text === undefined ? undefined : lineHashes(text)),
			branch,
		);

	it('are fresh where they stand, indented anew too', () => {
		expect(state(code.join('\n'))).toBe('fresh');
		expect(state(code.map(line => `  ${line}  `).join('\r\n'))).toBe('fresh');
	});

	it('are moved where other lines came before or went', () => {
		expect(state(['// new', ...code].join('\n'))).toBe('moved');
		expect(state(code.slice(8).join('\n'))).toBe('moved');
		expect(anchor && placeOf(anchor, lineHashes(code.slice(8).join('\n')))).toBe(2);
	});

	it('are changed or gone, and elsewhere for another branch', () => {
		expect(state(code.with(10, 'const other = 1;').join('\n'))).toBe('changed');
		expect(state(undefined)).toBe('gone');
		expect(state(undefined, 'other')).toBe('elsewhere');
		expect(state(code.join('\n'), 'other')).toBe('fresh');
		expect(freshnessOf({ anchors: [], branch: 'main' }, () => undefined, 'other')).toBe('elsewhere');
		expect(freshnessOf({ anchors: [], branch: undefined }, () => undefined, 'other')).toBe('fresh');
	});

	it('are at most twelve, and none where the file has none', () => {
		expect(anchorAt('a.ts', before, 1, 30)).toMatchObject({ from: 1, to: 12 });
		expect(anchorAt('a.ts', before, 31, 31)).toBeUndefined();
	});
});
