import { answerQuestion } from '../../support/answerQuestion.ts';
import { must, WORKS, type Cell } from '../cell.ts';

export const permission: Cell = {
	id: 'permission',
	title: 'A permission question shows in the sidebar, and stays the user’s to answer',
	needs: ['permissions'],
	about: 'permissions',
	triedAnyway: true,
	lab: { asks: true },
	run: async lab => {
		const worker = await lab.start({ prompt: '[[esc:touch made]] [[text:Allowed]]', asks: true });
		await worker.terminal.waitForText(lab.candidate.question);
		await lab.becomes(worker.address, 'waiting for an answer', ({ state }) => state.phase === 'waiting');
		const id = await lab.send(worker.address, 'Sent while it asks.');
		must(!lab.has('made'), 'the tool ran unasked');
		await answerQuestion(worker.terminal, lab.candidate.question, lab.candidate.yes);
		await lab.made('made');
		await lab.seen('Sent while it asks.');
		await lab.delivered(worker.address, id);
		await worker.idle();
		return WORKS;
	},
};

export const refused: Cell = {
	id: 'refused',
	title: 'A question that the user answers with No shows as over',
	needs: ['permissions'],
	triedAnyway: false,
	lab: { asks: true },
	run: async lab => {
		const worker = await lab.start({ prompt: '[[esc:touch never]] [[text:Refused]]', asks: true });
		await worker.terminal.waitForText(lab.candidate.question);
		await lab.becomes(worker.address, 'waiting for an answer', ({ state }) => state.phase === 'waiting');
		await answerQuestion(worker.terminal, lab.candidate.question, lab.candidate.no);
		await lab.becomes(worker.address, 'waiting no more', ({ state }) => state.phase !== 'waiting');
		must(!lab.has('never'), 'the tool ran');
		return WORKS;
	},
};
