import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageId } from '../../../src/protocol/names.ts';
import { answerQuestion } from '../../support/answerQuestion.ts';
import { eventually } from '../../support/eventually.ts';
import { must, WORKS, type Cell } from '../cell.ts';
import { WORKER, type ConformanceLab, type StartedWorker } from '../lab.ts';

const WORDS = 'Use the retry helper.';

/** Starts an agent that is about to call a tool, and sends it a directive that finds no earlier event than that call. */
async function sentBeforeTool(
	lab: ConformanceLab,
	tool: string,
	{ asks = false }: { asks?: boolean } = {},
): Promise<{ worker: StartedWorker; id: MessageId }> {
	const goOn = lab.model.hold(() => lab.requests().length === 1);
	const worker = await lab.start({ prompt: `${tool} [[text:Unreached]]`, asks });
	const id = await lab.send(worker.address, `${WORDS} [[text:Steered]]`);
	goOn();
	return { worker, id };
}

async function breakOff(worker: StartedWorker): Promise<void> {
	// Some take a key for the question that a tool may still raise.
	await sleep(1500);
	await worker.interrupt();
}

/** The message is in a request of the model once the agent goes on, by itself or with the next prompt. */
async function isRead(lab: ConformanceLab, worker: StartedWorker, id: MessageId): Promise<void> {
	const isSeen = () => lab.requests().some(request => request.text.includes(WORDS));
	// What could wake it has had its time.
	for (let look = 0; look < 10 && !isSeen(); look++) {
		await lab.view(worker.address);
		await sleep(500);
	}
	if (!isSeen()) await worker.submit('Go on. [[text:Going on]]');
	await eventually(
		'the message is in a request',
		async () => {
			await lab.view(worker.address);
			return isSeen();
		},
		{ everyMs: 250 },
	);
	await lab.delivered(worker.address, id);
}

export const brokenOffTool: Cell = {
	id: 'broken-off-tool',
	title: 'A directive sent before a tool that the user breaks off is read afterwards',
	needs: ['steer'],
	triedAnyway: false,
	run: async lab => {
		const { worker, id } = await sentBeforeTool(lab, lab.held);
		await lab.made('begun');
		await breakOff(worker);
		await lab.becomes(worker.address, 'no longer in the tool', ({ state }) => state.tool === undefined);
		await isRead(lab, worker, id);
		lab.letGo();
		return WORKS;
	},
};

export const brokenOffQuestion: Cell = {
	id: 'broken-off-question',
	title: 'A directive sent before a tool that the user refuses is read afterwards',
	needs: ['steer', 'permissions'],
	triedAnyway: false,
	lab: { asks: true },
	run: async lab => {
		const { worker, id } = await sentBeforeTool(lab, '[[esc:touch never]]', { asks: true });
		await worker.terminal.waitForText(lab.candidate.question);
		await answerQuestion(worker.terminal, lab.candidate.question, lab.candidate.no);
		await isRead(lab, worker, id);
		must(!lab.has('never'), 'the tool ran');
		return WORKS;
	},
};

export const killedInTool: Cell = {
	id: 'killed-in-tool',
	title: 'A directive sent before a tool during which the agent is killed is read when it is resumed',
	needs: ['steer', 'resume'],
	triedAnyway: false,
	run: async lab => {
		const { worker, id } = await sentBeforeTool(lab, lab.held);
		await lab.made('begun');
		await sleep(1500);
		process.kill(-worker.terminal.pid, 'SIGKILL');
		await worker.terminal.ended;
		lab.letGo();
		await lab.becomes(worker.address, 'ended', ({ state }) => state.phase === 'ended');
		const resumed = await lab.start({ resume: true });
		await isRead(lab, resumed, id);
		return WORKS;
	},
};

export const brokenOffPrompt: Cell = {
	id: 'broken-off-prompt',
	title: 'What came with a prompt that the user breaks off before the answer is read afterwards',
	needs: ['steer'],
	triedAnyway: false,
	run: async lab => {
		const id = await lab.send(WORKER, `${WORDS} [[text:Steered]]`);
		const letGo = lab.model.hold(request => request.hasTools);
		const worker = await lab.start({ prompt: 'Think about it.' });
		await lab.seen(WORDS);
		await lab.delivered(worker.address, id);
		await breakOff(worker);
		letGo();
		const before = lab.requests().length;
		const isSeen = () =>
			lab
				.requests()
				.slice(before)
				.some(request => request.text.includes(WORDS));
		// The prompt after it shows what became of it; where nothing wakes the agent, the message comes with the one after that.
		for (const prompt of ['Go on.', 'And on.', 'And on and on.']) {
			await worker.submit(`${prompt} [[text:Going on]]`);
			for (let look = 0; look < 16 && !isSeen(); look++) {
				await lab.view(worker.address);
				await sleep(500);
			}
			if (isSeen()) return WORKS;
		}
		throw new Error('the message is in no later request');
	},
};
