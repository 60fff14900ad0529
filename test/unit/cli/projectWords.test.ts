import { describe, expect, it } from 'vitest';
import { historyLines, noteLines } from '../../../src/cli/projectWords.ts';
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

it.each([
	[{ cause: 'poor' }, 'skipped, nothing can be learnt from it'],
	[
		{ cause: 'no-answer', why: 'it ended with code 1\u001b[2J' },
		'skipped, the agent ended without an answer: it ended with',
	],
	[{ why: 'a sentence of an earlier version' }, 'skipped, a sentence of an earlier version'],
	[{}, 'skipped)'],
])('the history says why a task has no notes: %j', (why, line) => {
	const task = { task: 1, prompt: 'Go', agent: 'claude-code', startedAt: new Date(0).toISOString() };
	const tasks = [{ ...task, ok: true, extraction: 'skipped', ...why }];
	const found = { project: 'main', plan: '', folder: '/main', notes: [], pending: [], problems: [], tasks };
	const [said = ''] = historyLines(NotesOutput.parse(found));
	expect(said).toContain(`notes: ${line}`);
	expect(said).not.toContain('\u001b');
});
