import { expect, it } from 'vitest';
import { questionLines } from '../../../src/cli/commands/questions.ts';
import type { Question } from '../../../src/protocol/question.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { questionOf } from '../../support/questionOf.ts';

const question = questionOf(DelegateId.parse('d1'));
const closely = (risk: Question['risk']) =>
	questionLines({ question: { ...question, risk } })
		.filter(line => line.includes('look closely'))
		.map(line => line.trim());

it('a question says why to look closely, and nothing where there is no reason', () => {
	expect(closely([])).toEqual([]);
	expect(closely(['administrator', 'publish'])).toEqual([
		'look closely: it runs as the administrator, publishes something',
	]);
	expect(closely(undefined)).toEqual(['look closely: it cannot be judged by a program']);
});
