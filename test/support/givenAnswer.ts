import { QuestionId, type Answer } from '../../src/protocol/question.ts';

/** An answer as a driver is given one, and what a test need not say of it. */
export function givenAnswer(given: Partial<Answer>): Answer {
	return {
		version: 1,
		question: QuestionId.parse('20261124T120000000Z-0a1b2c3d'),
		digest: '',
		seal: '',
		effect: 'once',
		by: 'vscode',
		at: '2026-11-24T12:00:00.000Z',
		...given,
	};
}
