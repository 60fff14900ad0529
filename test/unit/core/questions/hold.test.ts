import { expect, it } from 'vitest';
import { hold } from '../../../../src/core/questions/hold.ts';
import { Questions } from '../../../../src/core/questions/questions.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { failFiles } from '../../../support/failingFiles.ts';
import { seedQuestion } from '../../../support/seedQuestion.ts';
import { tempFolder } from '../../../support/tempFolder.ts';

it('a question goes on to its answer though the disk fails for a moment, and what would show its end', async () => {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.prepare();
	const questions = new Questions(workspace.own);
	const question = await seedQuestion(workspace);
	const { id, digest, askedAt } = question;
	let isOpened = 0;
	const broken = failFiles('open', path => path.includes(id) && path.includes('answers') && ++isOpened > 0, 'EIO');
	let settled = 0;
	const holding = hold(questions, question, {
		isAwaited: () => true,
		settle: async () => {
			// The first look has failed.
			if (++settled === 1) {
				broken[Symbol.dispose]();
				await questions.answer({ version: 1, question: id, digest, effect: 'once', by: 'page', at: askedAt });
			}
			throw new Error('the spool is gone');
		},
	});
	expect(await holding).toMatchObject({ effect: 'once' });
	expect(isOpened).toBe(1);
	expect(await questions.readOutcome(id)).toBeUndefined();
});
