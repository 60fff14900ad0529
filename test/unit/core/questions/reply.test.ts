import { expect, it } from 'vitest';
import { noTo, replyOf, whyNoAnswer } from '../../../../src/core/questions/reply.ts';
import { DelegateId } from '../../../../src/protocol/delegate.ts';
import type { Question } from '../../../../src/protocol/question.ts';
import { questionOf } from '../../../support/questionOf.ts';

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
		{ options: [0, 1], text: '' },
		{ options: [], text: 'So' },
	];
	const values = { 'Which?': ['A\u200b', 'B'], 'Why?': ['So'] };
	expect(replyOf({ fields }, { effect: 'once', words: '', chosen })).toEqual({ effect: 'once', values });
	expect(replyOf({ fields }, { effect: 'no', words: 'Later', chosen })).toEqual({ effect: 'no', words: 'Later' });
});

it('is none if it names an option, or a field, that the question does not have', () => {
	const fields = [{ question: 'Which?', isMultiple: true, options: [{ label: 'A' }] }];
	const reply = (...chosen: { options: number[]; text: string }[]) =>
		replyOf({ fields }, { effect: 'once', words: '', chosen });
	for (const place of [1, -1, 0.5])
		expect(() => reply({ options: [0, place], text: '' })).toThrow(/an option that the agent does not offer/);
	const one = { options: [0], text: '' };
	expect(() => reply(one, one)).toThrow(/an option that the agent does not offer/);
	expect(reply(one).values).toEqual({ 'Which?': ['A'] });
});

it('takes several answers only to what may have several', () => {
	const asked = questionOf(DelegateId.parse('20261124-120000-aaaa'));
	const why = (isMultiple: boolean, given: string[]) => {
		const fields = [{ question: 'Which?', isMultiple, options: [{ label: 'A' }, { label: 'B' }] }];
		const { id, digest, askedAt: at } = asked;
		const yes = { version: 1, question: id, digest, by: 'vscode', at, effect: 'once' } as const;
		const found = whyNoAnswer({ ...asked, fields }, { ...yes, values: { 'Which?': given } });
		return found === undefined ? undefined : String(found);
	};
	expect([why(true, ['A', 'B']), why(false, ['A']), why(false, ['Another'])]).toEqual([
		undefined,
		undefined,
		undefined,
	]);
	expect(why(false, ['A', 'B'])).toBe('"Which?" takes one answer');
});

it('takes no words with a No that the agent’s CLI carries without them', () => {
	const asked = questionOf(DelegateId.parse('20261124-120000-aaaa'));
	const question: Question = { ...asked, choices: [{ effect: 'once' }, { effect: 'no', isMute: true }] };
	const { id, digest, askedAt: at } = question;
	const no = { version: 1, question: id, digest, by: 'vscode', at, effect: 'no' } as const;
	expect(whyNoAnswer(question, no)).toBeUndefined();
	expect(String(whyNoAnswer(question, { ...no, words: 'Later.' }))).toContain('takes no words');
});
