import { expect, it } from 'vitest';
import { noTo, replyOf } from '../../../../src/core/questions/reply.ts';

it('says No without the end of the turn, where the question takes that', () => {
	expect(noTo({ choices: [{ effect: 'once' }, { effect: 'end' }, { effect: 'no' }] })).toBe('no');
	expect(noTo({ choices: [{ effect: 'once' }, { effect: 'end' }] })).toBe('end');
});

it('has the options’ own texts, not those that were made visible, and a text of the person’s own', () => {
	const fields = [
		{ question: 'Which?', isMultiple: true, options: [{ label: 'A\u200b' }, { label: 'B' }] },
		{ question: 'Why?', isMultiple: false, options: [] },
	];
	const chosen = [
		{ options: [0, 1, 7], text: '' },
		{ options: [], text: 'So' },
	];
	const values = { 'Which?': ['A\u200b', 'B'], 'Why?': ['So'] };
	expect(replyOf({ fields }, { effect: 'once', words: '', chosen })).toEqual({ effect: 'once', values });
	expect(replyOf({ fields }, { effect: 'no', words: 'Later', chosen })).toEqual({ effect: 'no', words: 'Later' });
});
