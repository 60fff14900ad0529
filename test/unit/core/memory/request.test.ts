import { describe, expect, it } from 'vitest';
import { requestOf } from '../../../../src/core/memory/extraction.ts';
import type { KnownNote } from '../../../../src/core/memory/state.ts';
import { questionWithSchema } from '../../../../src/drivers/extraction.ts';
import { NoteId } from '../../../../src/protocol/memoryNames.ts';

const task = { number: 90, prompt: 'Make the pool faster' };
const digest = 'p1 user\n  Make the pool faster\ne1 Edit (ok): src/db/pool.ts\n';

function note(at: number, more: Partial<KnownNote> = {}): KnownNote {
	return {
		id: NoteId.parse(at.toString(16).padStart(8, '0')),
		category: 'architecture',
		text: `Note ${at} says that the handlers come before the store, “seen” in round ${at % 91}.`,
		task: 1 + (at % 80),
		by: 'codex',
		anchors: [],
		seen: 1,
		seenIn: 1,
		isPinned: false,
		isUnmarked: false,
		isEdited: false,
		unknown: [],
		freshness: 'fresh',
		...more,
	};
}
const about = (path: string) => ({ anchors: [{ path, from: 1, to: 2, hash: '00000000' }] });

/** As a protocol of a model carries it, for a CLI that takes no schema. In bytes. */
function bytesOver(text: string, { texts }: ReturnType<typeof requestOf>): number {
	return Buffer.byteLength(JSON.stringify([texts.rules, questionWithSchema(texts)])) - Buffer.byteLength(text);
}

describe('the request for notes', () => {
	const many = Array.from({ length: 5000 }, (_, at) => note(at));

	it('has at most 10 kB over its digest, with the plan and the notes about files of the task', () => {
		const notes = many
			.with(4321, note(4321, about('src/db/pool.ts')))
			.with(4999, note(4999, { ...about('src/gone.ts'), freshness: 'gone' }));
		const plan = `Task 89: Half done\n${'- [ ] Measure it on a slow disk\n'.repeat(60)}`;
		const request = requestOf(digest, { task, notes, plan });
		expect(bytesOver(digest, request)).toBeLessThanOrEqual(10_000);
		expect(request.texts.order).toContain('Task 89: Half done');
		const [touched, stale] = request.listed;
		expect([touched?.id, stale?.id]).toEqual(['000010e1', '00001387']);
		expect(request.listed.length).toBeGreaterThan(20);
		expect(request.texts.order).toContain(`(${5000 - request.listed.length} more`);
	});

	it('lists the others as an agent would be told them, and none of another branch', () => {
		const notes = [
			...many,
			note(6000, { category: 'failures', text: 'The pool needs DB_URL.', seenIn: 89 }),
			note(6001, { category: 'failures', text: 'The pool of theirs needs DB_URL.', freshness: 'elsewhere' }),
		];
		const { listed } = requestOf(digest, { task, notes, plan: '' });
		expect(listed[0]?.id).toBe('00001770');
		expect(listed.map(({ id }) => id)).not.toContain('00001771');
	});

	it('is bounded also where a person has written long notes and a long plan', () => {
		const long = 'ü'.repeat(100_000);
		const notes = [note(1, { text: long, by: 'user', isPinned: true }), note(2)];
		const request = requestOf(digest, { task, notes, plan: `${long}\n${'Then more.\n'.repeat(5000)}` });
		expect(bytesOver(digest, request)).toBeLessThanOrEqual(10_000);
		expect(request.texts.order).toMatch(/\(fresh\): ü{600} …\n/);
		expect(request.texts.order).toContain('Note 2');
		expect(request.texts.order).toContain('Then more.');
	});
});
