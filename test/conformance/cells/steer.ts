import { setTimeout as sleep } from 'node:timers/promises';
import type { RecordedRequest } from '../../double/modelDouble.ts';
import { eventually } from '../../support/eventually.ts';
import { must, notPossible, partly, WORKS, type Cell } from '../cell.ts';
import { placeOf } from '../evidence.ts';

export const directive: Cell = {
	id: 'directive',
	title: 'A directive sent while a tool runs is in the model’s very next request',
	needs: ['steer'],
	about: 'steer',
	triedAnyway: true,
	run: async lab => {
		const worker = await lab.start({ prompt: `${lab.held} [[sh:true]] [[text:Not steered]]` });
		await lab.made('begun');
		const id = await lab.send(worker.address, 'Use the retry helper. [[text:Steered]]');
		lab.letGo();
		const place = placeOf(lab, await lab.seen('Use the retry helper.'));
		const { receipt } = await lab.delivered(worker.address, id);
		must(receipt?.rung === 'hook', `its receipt names the rung ${receipt?.rung}`);
		must(place <= 2, `it came only when the turn was over, with request ${place + 1}`);
		if (place === 2) return partly('The model reads it only after the tool call that follows.');
		return WORKS;
	},
};

export const halt: Cell = {
	id: 'halt',
	title: 'A halt denies the tool call at hand, and the model reads why',
	needs: ['halt'],
	about: 'halt',
	triedAnyway: true,
	run: async lab => {
		const goOn = lab.model.hold(() => lab.requests().length === 2);
		const worker = await lab.start({ prompt: '[[sh:true]] [[sh:touch never]] [[text:Unreached]]' });
		await lab.model.waitForRequest(() => lab.requests().length === 2);
		const id = await lab.send(worker.address, 'Do not touch anything. [[text:Halted]]', {
			effect: 'halt',
			priority: 'urgent',
		});
		goOn();
		await lab.seen('Do not touch anything.');
		must(!lab.has('never'), 'the tool ran all the same');
		const { receipt } = await lab.delivered(worker.address, id);
		must(receipt?.tool !== undefined, 'its receipt names no tool');
		return WORKS;
	},
};

export const pause: Cell = {
	id: 'pause',
	title: 'A pause ends the turn before the tool runs; it is read with the next prompt',
	needs: ['halt'],
	triedAnyway: false,
	run: async lab => {
		const goOn = lab.model.hold(() => lab.requests().length === 2);
		const worker = await lab.start({
			prompt: '[[sh:true]] [[sh:touch never]] [[text:Went on]] [[text:Went on]]',
		});
		await lab.model.waitForRequest(() => lab.requests().length === 2);
		await lab.send(worker.address, 'Wait for me.', { effect: 'pause' });
		goOn();
		await sleep(3000);
		must(!lab.has('never'), 'the tool ran all the same');
		const goesOn = lab.requests().length > 2;
		if (!goesOn) await worker.submit('Go on. [[text:Going on]]');
		await lab.seen('Wait for me.');
		return goesOn ? partly('The tool is denied and the model reads why, but the turn goes on.') : WORKS;
	},
};

export const subagent: Cell = {
	id: 'subagent',
	title: 'A subagent never gets the worker’s messages; the worker does',
	needs: ['steer'],
	triedAnyway: false,
	run: async lab => {
		const { subagent: delegated } = lab.candidate;
		if (delegated === 'none') return notPossible('It has no subagents.');
		const script = `I am the subagent. ${lab.held} [[sh:true]] [[text:Sub done]]`;
		const worker = await lab.start({ prompt: `${delegated(script)} [[text:Parent done]]` });
		await lab.made('begun');
		const id = await lab.send(worker.address, 'For the parent only.');
		lab.letGo();
		const sentAt = Date.now();
		await lab.seen('For the parent only.');
		await lab.delivered(worker.address, id);
		// Only the worker's own conversation holds the end of its script.
		const isParent = (request: RecordedRequest) => request.text.includes('Parent done');
		const withMessage = lab.requests().filter(each => each.text.includes('For the parent only.'));
		must(withMessage.every(isParent), 'a request of the subagent holds it');
		await eventually('the subagent goes on', () =>
			lab.requests().some(each => !isParent(each) && each.at > sentAt),
		);
		return WORKS;
	},
};
