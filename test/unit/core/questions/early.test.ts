import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { AnswerSeal } from '../../../../src/core/questions/answerSeal.ts';
import { newQuestion } from '../../../../src/core/questions/newQuestion.ts';
import { DESK, Questions } from '../../../../src/core/questions/questions.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { DriverId } from '../../../../src/protocol/names.ts';
import type { Answer, QuestionId } from '../../../../src/protocol/question.ts';
import { BASH } from '../../../support/seedQuestion.ts';
import { tempFolder } from '../../../support/tempFolder.ts';

type Unsealed = Omit<Answer, 'seal'>;
type Place = (file: string, answer: Unsealed, seal: AnswerSeal) => Promise<void> | void;

it('keeps a thousand questions and those of the last day, and never drops an open one', async () => {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.prepare();
	const desk = new Questions(workspace.own);
	await desk.prepare();
	const ids: QuestionId[] = [];
	for (let number = 0; number < 1010; number++) {
		const asked = newQuestion(DriverId.parse('claude-code'), BASH);
		ids.push(asked.id);
		await desk.ask(asked);
	}
	const [oldest, ...others] = ids.toSorted();
	for (const id of others) await desk.end(id, 'ended', 'a test');
	const kept = async () => new Set((await desk.all()).map(({ question }) => question.id));
	await desk.prepare();
	expect((await kept()).size).toBe(1010);
	await desk.prepare(Date.now() + 25 * 60 * 60_000);
	const left = await kept();
	expect(left).toEqual(new Set([oldest, ...others.slice(-1000)]));
});

const write = (file: string, answer: object) => writeFileSync(file, JSON.stringify(answer), { mode: 0o600 });

it.each<[string, Place]>([
	['without a seal', (file, answer) => write(file, answer)],
	['with its seal', async (file, answer, seal) => write(file, { ...answer, seal: await seal.of(answer) })],
	['that is no JSON', file => writeFileSync(file, 'yes', { mode: 0o600 })],
	['that a link will lead to', file => symlinkSync('/nowhere/answer.json', file)],
])('a question is not asked whose answer is there before it, %s: nothing is allowed by that', async (_, place) => {
	await using folder = tempFolder();
	const workspace = new Workspace(folder.file('project'), folder.file('data'));
	await workspace.prepare();
	const desk = new Questions(workspace.own);
	await desk.prepare();
	const question = newQuestion(DriverId.parse('claude-code'), BASH);
	const { id, digest, askedAt } = question;
	const answer: Unsealed = { version: 1, question: id, digest, effect: 'once', by: 'vscode', at: askedAt };
	// A desk answers no question that it does not see.
	await expect(desk.answer(answer)).rejects.toMatchObject({ code: 'no-question' });

	const seal = new AnswerSeal(workspace.own, [DESK, 'key.json']);
	await place(join(desk.folder, 'answers', `${id}.json`), answer, seal);
	await expect(desk.ask(question)).rejects.toMatchObject({ code: 'bad-file' });
	expect([await desk.open(), await desk.all()]).toEqual([[], []]);
	await expect(desk.answer(answer)).rejects.toMatchObject({ code: 'no-question' });
});
