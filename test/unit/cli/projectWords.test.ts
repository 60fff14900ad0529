import { describe, expect, it } from 'vitest';
import { noteLines } from '../../../src/cli/projectWords.ts';
import { NotesOutput } from '../../../src/protocol/output/memory.ts';

const update = { id: '0000000b', task: 3, held: ['users-own'], evidence: [] };
const linesOf = (...pending: object[]) =>
	noteLines(
		NotesOutput.parse({ project: 'main', plan: '', folder: '/main', notes: [], tasks: [], problems: [], pending }),
		undefined,
		true,
	).slice(1);

describe('what waits for a person', () => {
	it('is shown with the note that is to go, as it is now', () => {
		const note = { id: '0000000a', text: 'The pool leaks.' };
		expect(linesOf({ ...update, what: 'retire', text: 'It is fixed.', note })).toEqual([
			'  0000000b  retire: It is fixed. (task 3; users-own)',
			'            0000000a now: The pool leaks.',
		]);
	});

	it('is shown whole, a plan by its lines', () => {
		const long = 'x'.repeat(600);
		expect(linesOf({ ...update, what: 'plan', text: `Task 3: Faster.\n- [ ] ${long}` })).toEqual([
			'  0000000b  plan (task 3; users-own)',
			'            Task 3: Faster.',
			`            - [ ] ${long}`,
		]);
	});
});
