import { expect, it } from 'vitest';
import { addedRules } from '../../../../src/core/questions/addedRules.ts';
import { newQuestion } from '../../../../src/core/questions/newQuestion.ts';
import type { Asked } from '../../../../src/core/questions/questions.ts';
import { DriverId, SessionId } from '../../../../src/protocol/names.ts';
import type { Effect, OutcomeState } from '../../../../src/protocol/question.ts';

function asked(effect: Effect, state?: OutcomeState, at = '2026-11-24T12:00:00.000Z'): Asked {
	const question = newQuestion(DriverId.parse('fake'), {
		session: SessionId.parse('s1'),
		kind: 'tool',
		tool: 'Bash',
		title: 'ls',
		body: 'ls',
		bodyIs: 'command',
		also: [],
		files: [],
		fields: [],
		choices: [
			{ effect: 'once' },
			{ effect: 'session', rule: 'Bash(ls)' },
			{ effect: 'folder', rule: 'Bash(ls)', keptIn: '.fake/settings.json' },
			{ effect: 'user', rule: 'Bash(ls)', keptIn: '~/.fake/settings.json' },
			{ effect: 'no' },
		],
		input: {},
	});
	const { id, digest } = question;
	const answer = { version: 1 as const, question: id, digest, effect, by: 'vscode' as const, at, seal: '' };
	return { question, answer, outcome: state && { version: 1, question: id, state, evidence: 'Stop', at } };
}

it('lists the rules that answers have added to files, newest first, and none that the CLI never took', () => {
	const all = [
		asked('folder', 'applied', '2026-11-24T10:00:00.000Z'),
		asked('user', undefined, '2026-11-24T11:00:00.000Z'),
		asked('folder', 'late'),
		asked('folder', 'refused'),
		asked('session', 'applied'),
		asked('once', 'applied'),
		asked('no', 'applied'),
	];
	expect(addedRules(all).map(({ rule, keptIn }) => [rule, keptIn])).toEqual([
		['Bash(ls)', '~/.fake/settings.json'],
		['Bash(ls)', '.fake/settings.json'],
	]);
});
