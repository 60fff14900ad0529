import { answerQuestion } from '../../support/answerQuestion.ts';
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
		must(!lab.has('made'), 'the tool ran');
		await answerQuestion(worker.terminal, lab.candidate.question, lab.candidate.yes);
		await lab.made('made');
		return WORKS;
	},
};
