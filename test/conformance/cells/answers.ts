import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerSeal } from '../../../src/core/questions/answerSeal.ts';
import { DESK } from '../../../src/core/questions/questions.ts';
import type { Question } from '../../../src/protocol/question.ts';
import { liveness } from '../../../src/base/liveness.ts';
import { answerQuestion } from '../../support/answerQuestion.ts';
import { eventually } from '../../support/eventually.ts';
import { deskOf } from '../../support/desk.ts';
import { must, WORKS, type Cell } from '../cell.ts';

/** What every row of answers begins with. */
const asks = {
	needs: ['permissions', 'answers'],
	about: 'answers',
	triedAnyway: false,
	lab: { asks: true, answers: true },
} as const;

export const answeredHere: Cell = {
	...asks,
	id: 'answered-here',
	title: 'A permission question is answered in Nancy, while the agent’s own prompt stays open',
	run: async lab => {
		const desk = deskOf(lab.nancy);
		const worker = await lab.start({ prompt: '[[esc:touch made]] [[esc:touch never]] [[text:Over]]', asks: true });
		const [first] = await desk.asked();
		must(first.body === 'touch made', `it shows ${first.body}`);
		await worker.terminal.waitForText(lab.candidate.question);
		must(!lab.has('made'), 'the tool ran unasked');
		await desk.answer(first, { effect: 'once' });
		await lab.made('made');
		const [second] = await desk.asked();
		// Where a No ends the turn, there is no other.
		const [no] = second.choices.filter(({ effect }) => effect === 'no' || effect === 'end');
		must(no !== undefined, 'it offers no No');
		const { effect, isMute = false } = no;
		await desk.answer(second, { effect, ...(!isMute && { words: 'Leave that to me.' }) });
		if (!isMute) await lab.seen('Leave that to me.');
		await worker.idle();
		must(!lab.has('never'), 'the tool ran in spite of a No');
		for (const question of [first, second]) {
			const { state } = await desk.outcome(question);
			must(state === 'applied', `the answer counts as ${state}`);
		}
		return WORKS;
	},
};

export const answeredThere: Cell = {
	...asks,
	id: 'answered-there',
	title: 'A permission question that is answered in the terminal is over in Nancy',
	run: async lab => {
		const desk = deskOf(lab.nancy);
		// A key is typed until its question is gone: the next one comes later.
		const prompt = '[[esc:touch made; sleep 4]] [[esc:touch never]] [[text:Over]]';
		const worker = await lab.start({ prompt, asks: true });
		const answers = [
			{ keys: lab.candidate.yes, expected: 'yes-elsewhere' },
			{ keys: lab.candidate.no, expected: 'no-elsewhere' },
		];
		for (const { keys, expected } of answers) {
			const [question] = await desk.asked();
			await answerQuestion(worker.terminal, lab.candidate.question, keys);
			const { state } = await desk.outcome(question);
			must(state === expected, `it counts as ${state} in place of ${expected}`);
		}
		must(lab.has('made') && !lab.has('never'), 'the tools did not do as the person said');
		return WORKS;
	},
};

export const holderKilled: Cell = {
	...asks,
	id: 'holder-killed',
	title: 'The process that waits for an answer is killed: nothing runs, and the agent’s own prompt remains',
	run: async lab => {
		const desk = deskOf(lab.nancy);
		const worker = await lab.start({ prompt: '[[esc:touch made]] [[text:Over]]', asks: true });
		const [question] = await desk.asked();
		await worker.terminal.waitForText(lab.candidate.question);
		process.kill(question.holder.pid, 'SIGKILL');
		const { state } = await desk.outcome(question);
		must(state === 'silent', `it counts as ${state}`);
		// Long enough for a CLI to take the end of what waits for an answer.
		await sleep(2000);
		must(!lab.has('made'), 'the tool ran');
		await answerQuestion(worker.terminal, lab.candidate.question, lab.candidate.yes);
		await lab.made('made');
		return WORKS;
	},
};

export const answeredThree: Cell = {
	...asks,
	id: 'answered-three',
	title: 'Each of three questions of one moment gets its own answer',
	run: async lab => {
		const desk = deskOf(lab.nancy);
		const files = ['one', 'two', 'three'];
		const commands = files.map(file => `esc:touch ${file}`).join('||');
		const worker = await lab.start({ prompt: `[[par:${commands}]] [[text:Over]]`, asks: true });
		const answered: Question[] = [];
		while (answered.length < files.length) {
			// Some CLIs ask them all, others one after the other.
			const question = (await desk.asked()).at(-1)!;
			const file = question.body.replace('touch ', '');
			must(files.includes(file), `it shows ${question.body}`);
			must(!lab.has(file), `${file} was made by another answer`);
			await desk.answer(question, { effect: 'once' });
			await lab.made(file);
			answered.push(question);
		}
		await worker.idle();
		for (const question of answered) {
			const { state } = await desk.outcome(question);
			must(state === 'applied', `the answer to ${question.body} counts as ${state}`);
		}
		return WORKS;
	},
};

export const answerRefused: Cell = {
	...asks,
	id: 'answer-refused',
	title: 'What is no answer to this very question, or cannot be noted, lets nothing run, and the agent’s own prompt remains',
	run: async lab => {
		const desk = deskOf(lab.nancy);
		const seal = new AnswerSeal(lab.nancy.own, [DESK, 'key.json']);
		const plant = (question: Question, text: string) =>
			writeFileSync(join(desk.folder, 'answers', `${question.id}.json`), text, { mode: 0o600 });
		/** As a desk would write it, but for the request that it is about. */
		const ofAnother = async ({ id }: Question) => {
			const digest = '0'.repeat(64);
			const at = new Date().toISOString();
			const answer = { version: 1, question: id, digest, effect: 'once', by: 'vscode', at } as const;
			return JSON.stringify({ ...answer, seal: await seal.of(answer) });
		};
		const handing = join(desk.folder, 'handing');
		const wrongs = [
			{ place: async (question: Question) => plant(question, 'yes'), state: 'refused' },
			{ place: async (question: Question) => plant(question, await ofAnother(question)), state: 'refused' },
			{
				place: async (question: Question) => {
					// Nothing can be written there, as on a full disk.
					rmSync(handing, { recursive: true });
					writeFileSync(handing, '');
					await desk.answer(question, { effect: 'once' });
				},
				state: 'silent',
			},
		];
		// A key is typed until its question is gone: the next one comes later.
		const steps = wrongs.map((_, at) => `[[esc:touch made-${at}; sleep 4]]`);
		const worker = await lab.start({ prompt: `${steps.join(' ')} [[text:Over]]`, asks: true });
		for (const [at, { place, state: expected }] of wrongs.entries()) {
			const [question] = await desk.asked();
			await worker.terminal.waitForText(lab.candidate.question);
			await place(question);
			const { state } = await desk.outcome(question);
			must(state === expected, `it counts as ${state} in place of ${expected}`);
			// Long enough for a CLI to take the end of what waits for an answer.
			await sleep(2000);
			must(!lab.has(`made-${at}`), 'the tool ran');
			await answerQuestion(worker.terminal, lab.candidate.question, lab.candidate.yes);
			await lab.made(`made-${at}`);
		}
		rmSync(handing);
		mkdirSync(handing, { mode: 0o700 });
		await worker.idle();
		return WORKS;
	},
};

export const askingKilled: Cell = {
	...asks,
	id: 'asking-killed',
	title: 'The agent is killed while it asks: nothing runs, and nobody is asked any more',
	run: async lab => {
		const desk = deskOf(lab.nancy);
		const worker = await lab.start({ prompt: '[[esc:touch made]] [[text:Over]]', asks: true });
		const [question] = await desk.asked();
		await worker.terminal.waitForText(lab.candidate.question);
		must(question.agent !== undefined, 'it names no process');
		process.kill(question.agent.pid, 'SIGKILL');
		const { state } = await desk.outcome(question);
		// What waits may end with the agent before it can say so.
		must(state === 'ended' || state === 'silent', `it counts as ${state}`);
		await eventually('nobody waits', () => liveness(question.holder) === 'dead');
		await sleep(2000);
		must(!lab.has('made'), 'the tool ran');
		return WORKS;
	},
};
