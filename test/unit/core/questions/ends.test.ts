import { expect, it } from 'vitest';
import { Questions } from '../../../../src/core/questions/questions.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import type { OutcomeState } from '../../../../src/protocol/question.ts';
import { seedQuestion } from '../../../support/seedQuestion.ts';
import { tempFolder } from '../../../support/tempFolder.ts';

/** How a question ends that somebody saw end like this. A person may have answered between that look and this end. */
async function endOf(seen: OutcomeState, isAnswered: boolean): Promise<OutcomeState | undefined> {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.prepare();
	const questions = new Questions(workspace.own);
	const { id, digest, askedAt } = await seedQuestion(workspace);
	if (isAnswered)
		await questions.answer({ version: 1, question: id, digest, effect: 'once', by: 'page', at: askedAt });
	expect(await questions.end(id, seen, 'an event')).toBe(true);
	return (await questions.readOutcome(id))?.state;
}

it.each(['yes-elsewhere', 'no-elsewhere'] as const)(
	'a question that is over with %s makes an answer of that moment late',
	async seen => {
		expect(await endOf(seen, false)).toBe(seen);
		expect(await endOf(seen, true)).toBe('late');
	},
);

it.each(['applied', 'silent', 'ended', 'refused'] as const)(
	'a question that is over as %s is so, answered or not',
	async seen => {
		expect([await endOf(seen, false), await endOf(seen, true)]).toEqual([seen, seen]);
	},
);
