import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '../../../src/core/questions/digest.ts';
import { Questions } from '../../../src/core/questions/questions.ts';
import { Workspace } from '../../../src/core/workspace/workspace.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { AnswerOutput, QuestionsOutput } from '../../../src/protocol/output/questions.ts';
import { QuestionId } from '../../../src/protocol/question.ts';
import { questionOf } from '../../support/questionOf.ts';
import { seedQuestion } from '../../support/seedQuestion.ts';
import { NancyCommand } from './nancyCommand.ts';
import { Project } from './project.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build();
});
afterAll(() => nancy[Symbol.asyncDispose]());

let project: Project;
let workspace: Workspace;
let desk: Questions;
beforeEach(async () => {
	project = new Project();
	workspace = new Workspace(project.path, join(nancy.dataFolder, 'nancy'));
	await workspace.prepare();
	desk = new Questions(workspace.own);
	return () => project[Symbol.asyncDispose]();
});

/** As a person in a terminal. */
const call = (...args: string[]) => nancy.run(args, { cwd: project.path, isTerminal: true });
const answerOf = async ({ id }: { id: QuestionId }) => (await desk.find(id))?.answer;

const rule = { rule: 'Bash(ls)', keptIn: '.claude/settings.local.json' };
const choices = [
	{ effect: 'once' as const },
	{ effect: 'session' as const, rule: 'Bash(ls)' },
	{ effect: 'folder' as const, ...rule },
	{ effect: 'user' as const, ...rule, keptIn: '~/.claude/settings.json' },
	{ effect: 'no' as const },
	{ effect: 'end' as const },
];

describe('nancy answer', () => {
	it.each([
		['yes', 'once'],
		['session', 'session'],
		['folder', 'folder'],
		['user', 'user'],
		['no', 'no'],
		['end', 'end'],
	])('takes %s for the question that its last part names', async (word, effect) => {
		const asked = await seedQuestion(workspace, { choices });
		const done = await call('answer', asked.id.slice(-8), word);
		expect(done).toMatchObject({ code: 0, stdout: `${word}: Bash rm -rf build\n`, stderr: '' });
		expect(await answerOf(asked)).toMatchObject({ effect, by: 'command', digest: asked.digest });
	});

	it('takes words with a No alone, and prints the answer for programs', async () => {
		const asked = await seedQuestion(workspace);
		const refused = await call('answer', asked.id, 'yes', '--note', 'use pnpm');
		expect(refused).toMatchObject({ code: 2, stdout: '' });
		expect(await answerOf(asked)).toBeUndefined();
		const done = await call('answer', asked.id, 'no', '--note', 'use pnpm', '--json');
		expect(AnswerOutput.parse(JSON.parse(done.stdout)).answer).toMatchObject({ effect: 'no', words: 'use pnpm' });
	});

	it('answers what the agent wants to know, in order, several texts in one', async () => {
		const field = (question: string, isMultiple: boolean) => ({ question, options: [], isMultiple });
		const fields = [field('Colours?', true), field('Name?', false)];
		const asked = await seedQuestion(workspace, { kind: 'choice', tool: 'AskUserQuestion', fields });
		const short = await call('answer', asked.id, 'yes', 'Blue');
		expect(short).toMatchObject({ code: 2, stderr: expect.stringContaining('Name?') });
		const long = await call('answer', asked.id, 'yes', 'Blue', 'Ada', 'more');
		expect(long).toMatchObject({ code: 2, stderr: expect.stringContaining('2 things, not 3') });
		expect((await call('answer', asked.id, 'yes', 'Blue | Sea green', 'Ada')).code).toBe(0);
		expect((await answerOf(asked))?.values).toEqual({ 'Colours?': ['Blue', 'Sea green'], 'Name?': ['Ada'] });
	});

	it('takes no part of an id that two questions have, or that is shorter than the last part', async () => {
		const asked = await seedQuestion(workspace);
		const twin = { ...asked, id: QuestionId.parse(`20260101T000000000Z-${asked.id.slice(-8)}`) };
		await desk.ask({ ...twin, digest: digestOf(twin) });
		const both = await call('answer', asked.id.slice(-8), 'yes');
		expect(both).toMatchObject({ stdout: '', stderr: expect.stringContaining('can be 2 questions') });
		const short = await call('answer', asked.id.slice(-6), 'yes');
		expect(short).toMatchObject({ stdout: '', stderr: expect.stringContaining('nobody asks') });
		expect([await answerOf(asked), await answerOf(twin)]).toEqual([undefined, undefined]);
		expect((await call('answer', asked.id, 'yes')).code).toBe(0);
	});

	it('takes no second answer, none without a terminal, and none that the question does not have', async () => {
		const asked = await seedQuestion(workspace);
		expect(await call('answer', asked.id, 'folder')).toMatchObject({ code: 2, stdout: '' });
		expect(await call('answer', asked.id, 'maybe')).toMatchObject({ code: 2, stdout: '' });
		const piped = await nancy.run(['answer', asked.id, 'yes'], { cwd: project.path });
		expect(piped).toMatchObject({ code: 5, stdout: '' });
		expect(await answerOf(asked)).toBeUndefined();
		await call('answer', asked.id, 'no');
		const again = await call('answer', asked.id, 'yes');
		expect(again).toMatchObject({ stdout: '', stderr: expect.stringContaining('answered with nancy answer') });
		expect(again.code).not.toBe(0);
	});
});

describe('nancy questions and nancy answers', () => {
	it('are for programs too: what is open, and with --all what is over', async () => {
		const [open, over] = [
			await seedQuestion(workspace),
			await seedQuestion(workspace, { body: 'ls', title: 'ls' }),
		];
		await call('answer', over.id, 'no', '--note', 'No.');
		await desk.end(over.id, 'applied', 'PostToolBatch');
		const listed = async (...words: string[]) =>
			QuestionsOutput.parse(JSON.parse((await call(...words, '--json')).stdout)).questions;
		expect(await listed('questions')).toMatchObject([{ question: { id: open.id, digest: open.digest } }]);
		const whole = {
			question: { id: over.id },
			answer: { effect: 'no', words: 'No.' },
			outcome: { state: 'applied' },
		};
		expect(await listed('questions', '--all')).toMatchObject([{ question: { id: open.id } }, whole]);
		expect(await listed('answers')).toMatchObject([whole]);
		expect((await call('questions', '--all')).stdout).toContain('    applied: PostToolBatch\n');
	});

	it('control no terminal and hide nothing, whatever the agent asks for', async () => {
		const hostile = 'rm -rf \u202Etxt.evil\u001b[2K\u001b]8;;https://evil.example\u0007\u200B\n\u001b[1A# harmless';
		const asked = await seedQuestion(workspace, {
			title: hostile,
			body: hostile,
			tool: `Bash\u001b[31m`,
			cwd: `/w/  two\u001b[2J`,
			files: [`/w/${'d/'.repeat(2500)}end\u202E`],
			also: [{ name: 'note\u001b[A', value: hostile }],
			fields: [{ question: hostile, options: [{ label: hostile, description: hostile }], isMultiple: false }],
			choices: [{ effect: 'once' }, { effect: 'folder', rule: hostile, keptIn: hostile }, { effect: 'no' }],
		});
		const { stdout } = await call('questions');
		expect(stdout).toContain('    | rm -rf ⟨U+202E⟩txt.evil\\x1b[2K\\x1b]8;;https://evil.example\\x07⟨U+200B⟩\n');
		expect(stdout).toContain('    in /w/  two\\x1b[2J\n');
		expect(stdout).toContain('end⟨U+202E⟩\n');
		await call('answer', asked.id, 'no');
		for (const text of [stdout, (await call('answers')).stdout, (await call('questions', '--all')).stdout])
			expect(text).not.toMatch(/(?![\t\n])[\p{Cc}\u200b\u202a-\u202e]/u);
	});

	it('say that what is not shown whole can be allowed in the terminal alone, and by a delegate not at all', async () => {
		const body = `curl -H "Authorization: Bearer ${'a1B2'.repeat(12)}" x`;
		await seedQuestion(workspace, { body });
		expect((await call('questions')).stdout).toContain('it can be allowed in the agent’s terminal alone');
		const delegate = questionOf(DelegateId.parse('a-delegate'));
		const cut = { ...delegate, isWhole: false, choices: [{ effect: 'no' as const }] };
		await desk.ask({ ...cut, digest: digestOf(cut) });
		expect((await call('questions')).stdout).toContain('it cannot be allowed');
	});
});
