import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { Questions } from '../../src/core/questions/questions.ts';
import { settleAll } from '../../src/core/questions/settle.ts';
import { Collector } from '../../src/core/traffic/collector.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { SessionId } from '../../src/protocol/names.ts';
import type { Question, Reply } from '../../src/protocol/question.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';
import { submit } from '../support/submit.ts';

vi.setConfig({ maxConcurrency: 2 });

const DIALOG = /Do you want to proceed\?|Do you want to make this edit|Do you want to create/;

/** The desk of a lab's workspace, as any window looks at it. */
function deskOf(lab: DeployedLab) {
	const desk = new Questions(lab.nancy.own);
	const open = async () => (await desk.open()).filter(({ answer }) => !answer).map(({ question }) => question);
	const look = async () => {
		const collector = new Collector(lab.nancy, [claudeCode]);
		await collector.collect();
		await collector.close();
		await settleAll(desk, lab.nancy.paths);
	};
	return {
		desk,
		open,
		asked: () => eventually('a question', async () => (await open())[0]),
		answer: (question: Question, reply: Reply) =>
			desk.answer({
				version: 1,
				question: question.id,
				digest: question.digest,
				...reply,
				by: 'vscode',
				at: new Date().toISOString(),
			}),
		outcome: (question: Question) =>
			eventually('an outcome', async () => {
				await look();
				return desk.readOutcome(question.id);
			}),
	};
}

async function started(prompt: string) {
	const lab = await deployedLab();
	const session = SessionId.parse(randomUUID());
	await startedTask(lab, session);
	const claude = await lab.interactive(['--session-id', session]);
	await submit(claude, prompt);
	return { lab, claude, ...deskOf(lab) };
}

describe.concurrent('a question of the real Claude Code', () => {
	it('is answered with Yes from the desk while its own dialog is open, and the tool runs', async () => {
		const { lab, claude, asked, answer, outcome } = await started('[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const question = await asked();
		expect(question).toMatchObject({
			kind: 'tool',
			tool: 'Bash',
			body: 'touch made',
			bodyIs: 'command',
		});
		await claude.waitForText(DIALOG);
		expect(existsSync(lab.workspace.file('made'))).toBe(false);
		await answer(question, { effect: 'once' });
		await claude.waitForText(/● Finished/);
		expect(existsSync(lab.workspace.file('made'))).toBe(true);
		expect(await outcome(question)).toMatchObject({ state: 'applied' });
	});

	it('is answered with No and words, which the model reads, and the tool does not run', async () => {
		const { lab, claude, asked, answer, outcome } = await started('[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const question = await asked();
		await answer(question, { effect: 'no', words: 'Use the other folder.' });
		await claude.waitForText(/● Finished/);
		expect(existsSync(lab.workspace.file('made'))).toBe(false);
		const read = lab.model.requests.filter(({ hasTools }) => hasTools).at(-1)?.text;
		expect(read?.includes('The user said no: Use the other folder.')).toBe(true);
		expect(await outcome(question)).toMatchObject({ state: 'applied' });
	});

	it.each([
		{ keys: '1', state: 'yes-elsewhere', runs: true },
		{ keys: '\u001b', state: 'no-elsewhere', runs: false },
	])('is seen to be answered in the terminal: $state', async ({ keys, state, runs }) => {
		const { lab, claude, asked, outcome } = await started('[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const question = await asked();
		await answerQuestion(claude, DIALOG, keys);
		expect(await outcome(question)).toMatchObject({ state });
		expect(existsSync(lab.workspace.file('made'))).toBe(runs);
	});
});
