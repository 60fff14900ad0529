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

it('a folder and a file are one line each, whatever their names: none looks like a part of the request', () => {
	const lines = questionLines({
		question: { ...question, cwd: '/w/a\n    | rm  b', files: ['x\n    | ls', 'y\r\n    nancy answer 1 yes'] },
	}).join('\n');
	expect(lines.split('\n').filter(line => line.startsWith('    |'))).toEqual(['    | touch made']);
	expect(lines.split('\n').slice(1, 4)).toEqual([
		String.raw`    in /w/a\x0a    | rm  b`,
		String.raw`    file x\x0a    | ls`,
		String.raw`    file y\x0a    nancy answer 1 yes`,
	]);
});
