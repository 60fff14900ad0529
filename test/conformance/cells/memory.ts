import { join } from 'node:path';
import { ToldProject } from '../../support/toldProject.ts';
import { must, partly, WORKS, type Cell } from '../cell.ts';
import { WORKER, type ConformanceLab } from '../lab.ts';

const FIRST = 'The tests of this project need DB_URL.';
const SECOND = 'The port of this project is 4100.';

function projectOf(lab: ConformanceLab): ToldProject {
	return new ToldProject(lab.nancy, join(lab.home, 'projects-of-the-user'));
}

/** How often the model reads it in the request of a prompt. */
async function times(lab: ConformanceLab, prompt: string, note: string): Promise<number> {
	return (await lab.seen(prompt)).text.split(note).length - 1;
}

export const memory: Cell = {
	id: 'memory',
	title: 'Notes of the project come with its first prompt, once, and again when they have changed',
	needs: ['hooks'],
	triedAnyway: false,
	run: async lab => {
		const project = projectOf(lab);
		await project.note([FIRST]);
		const worker = await lab.start({ prompt: 'The first prompt. [[text:Read]]' });
		must((await times(lab, 'The first prompt.', FIRST)) === 1, 'they did not come with the first prompt');
		await worker.idle();
		await worker.submit('The second prompt. [[text:Read]]');
		must((await times(lab, 'The second prompt.', FIRST)) === 1, 'they came again, or are gone');
		await worker.idle();
		await project.note([FIRST, SECOND]);
		await worker.submit('The third prompt. [[text:Read]]');
		must((await times(lab, 'The third prompt.', SECOND)) === 1, 'the changed ones did not come');
		await worker.idle();
		await worker.submit('The fourth prompt. [[text:Read]]');
		must((await times(lab, 'The fourth prompt.', SECOND)) === 1, 'the changed ones came again');
		return WORKS;
	},
};

/** About the notes, in letters: ten lines with their sources, and what stands around them. */
const NOTES_TAKE = 3500;

export const memoryBeside: Cell = {
	id: 'memory-beside',
	title: 'Notes of the project and a message come whole with one prompt, to the end of what one answer may hold',
	needs: ['hooks'],
	triedAnyway: false,
	run: async lab => {
		const notes = Array.from(
			{ length: 10 },
			(_, at) => `Part ${at} of this project ${'is slow at night, and '.repeat(8)}tired.`,
		);
		await projectOf(lab).note(notes);
		const words = Array.from({ length: 9000 }, (_, at) => `w${at}`).join(' ');
		const room = lab.driver.hooks.contextLimit - NOTES_TAKE;
		const message = words.slice(0, words.lastIndexOf(' ', room));
		const id = await lab.send(WORKER, message);
		await lab.start({ prompt: 'The first prompt. [[text:Read]]' });
		const { text } = await lab.seen('The first prompt.');
		must(text.includes(message), 'the message is not whole');
		for (const note of notes) must(text.split(note).length === 2, `this note is not there once: ${note}`);
		await lab.delivered(WORKER, id);
		return WORKS;
	},
};

export const memoryResumed: Cell = {
	id: 'memory-resumed',
	title: 'Notes of the project do not come again when the conversation is resumed',
	needs: ['hooks', 'resume'],
	triedAnyway: false,
	run: async lab => {
		await projectOf(lab).note([FIRST]);
		const worker = await lab.start({ prompt: 'The first prompt. [[text:Read]]' });
		must((await times(lab, 'The first prompt.', FIRST)) === 1, 'they did not come with the first prompt');
		await worker.idle();
		await worker.terminal.close();
		await lab.start({ prompt: 'The next prompt. [[text:Read]]', resume: true });
		must((await times(lab, 'The next prompt.', FIRST)) === 1, 'they came again, or are gone');
		return WORKS;
	},
};

export const memoryCompacted: Cell = {
	id: 'memory-compacted',
	title: 'Notes of the project come again once the conversation is compacted, and only once',
	needs: ['hooks'],
	triedAnyway: false,
	run: async lab => {
		const { compact } = lab.candidate;
		if ('untried' in compact) return partly(compact.untried);
		await projectOf(lab).note([FIRST]);
		const worker = await lab.start({ prompt: 'The first prompt. [[text:Read]]' });
		must((await times(lab, 'The first prompt.', FIRST)) === 1, 'they did not come with the first prompt');
		await worker.idle();
		for (const prompt of ['The second prompt.', 'The third prompt.']) {
			// Some keep the newest third as it is, and a short conversation too. They count by what the model reports.
			await worker.submit(`${prompt} [[sh:seq 4000]] [[full:30000:Read too]]`);
			await lab.seen(prompt);
			await worker.idle();
		}
		await worker.submit(compact.command);
		await worker.terminal.waitForText(compact.done);
		await worker.idle();
		await worker.submit('The fourth prompt. [[text:Read]]');
		must((await times(lab, 'The fourth prompt.', FIRST)) === 1, 'they did not come, or came twice');
		await worker.idle();
		await worker.submit('The fifth prompt. [[text:Read]]');
		must((await times(lab, 'The fifth prompt.', FIRST)) === 1, 'they came again, or are gone');
		return WORKS;
	},
};

export const memoryHeadless: Cell = {
	id: 'memory-headless',
	title: 'Notes of the project come without a terminal, and no subagent gets them',
	needs: ['hooks', 'headless'],
	triedAnyway: false,
	run: async lab => {
		const { subagent } = lab.candidate;
		await projectOf(lab).note([FIRST]);
		const script = 'I am the subagent. [[sh:true]] [[text:Sub done]]';
		const step = subagent === 'none' ? '[[sh:true]]' : subagent(script);
		await (
			await lab.runHeadless(`The only prompt. ${step} [[text:Parent done]]`)
		).ended;
		must((await times(lab, 'The only prompt.', FIRST)) === 1, 'they did not come');
		if (subagent === 'none') return partly('It has no subagents.');
		const ofSubagent = lab.requests().filter(({ text }) => !text.includes('Parent done'));
		must(ofSubagent.length > 0, 'no subagent was at work');
		must(!ofSubagent.some(({ text }) => text.includes(FIRST)), 'a request of the subagent holds them');
		return WORKS;
	},
};
