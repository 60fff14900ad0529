import { setTimeout as sleep } from 'node:timers/promises';
import { must, WORKS, type Cell } from '../cell.ts';
import { placeOf } from '../evidence.ts';
import { WORKER } from '../lab.ts';

export const sessionStart: Cell = {
	id: 'session-start',
	title: 'What was queued before it was started is read with its first prompt',
	needs: ['hooks'],
	triedAnyway: false,
	run: async lab => {
		const id = await lab.send(WORKER, 'Queued before the start.');
		await lab.start({ prompt: 'The first prompt. [[text:Read]]' });
		const request = await lab.seen('Queued before the start.');
		must(request.text.includes('The first prompt.') && placeOf(lab, request) === 0, 'it came later');
		await lab.delivered(WORKER, id);
		return WORKS;
	},
};

export const nextPrompt: Cell = {
	id: 'prompt',
	title: 'What waits is read with the next prompt that the user types',
	needs: ['hooks'],
	triedAnyway: false,
	run: async lab => {
		const worker = await lab.startIdle();
		// A pause wakes nobody.
		const id = await lab.send(worker.address, 'Read this with the prompt.', { effect: 'pause' });
		await sleep(1500);
		must(lab.requests().length === 1, 'it woke the agent');
		await worker.submit('Typed by a person. [[text:Second turn]]');
		const request = await lab.seen('Typed by a person.');
		must(request.text.includes('Read this with the prompt.'), 'it did not come with the prompt');
		await lab.delivered(worker.address, id);
		return WORKS;
	},
};
