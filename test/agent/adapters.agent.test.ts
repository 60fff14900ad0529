import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { signal } from '../../src/process/signal.ts';
import { eventsOf, isAfter } from '../conformance/evidence.ts';
import type { ConformanceLab } from '../conformance/lab.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import {
	claudeAdapterServed,
	codexAdapterServed,
	commandOf,
	holdAnswers,
	readAgain,
	servedLab,
} from '../support/servedAgents.ts';
import { goesOnOnceResumed, hearsDeskAndTerminal } from './stories.ts';

const WORDS = 'Use the other port.';

describe.each([claudeAdapterServed, codexAdapterServed])('$agent.id, named by a setting', served => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async (asks = false) => {
		lab = await servedLab(served, { asks, env: { FROM_SETTINGS: 'yes' } });
		return deskOf(lab.nancy);
	};
	/** It has the words in the middle of its turn, and its model, which takes a moment as a real one does, has not answered them. */
	const steered = async (then = '[[sh:true]] [[text:First end]]') => {
		await begin();
		const worker = await lab.start({ prompt: `${lab.held} ${then}` });
		await lab.made('begun');
		const letGo = lab.model.hold(() => true);
		const id = await lab.send(worker.address, WORDS);
		lab.letGo();
		await worker.terminal.waitForText(/Use the other port\./);
		return { worker, letGo, id };
	};
	const copies = () => lab.requests().filter(({ turns }) => turns.at(-1)?.text.includes(WORDS)).length;
	const dialog = /Your answer[^\n]*\s*$/;

	it('runs a turn with the variables of the setting, and is idle', async () => {
		await begin();
		const worker = await lab.start({ prompt: 'Hello there. [[sh:echo $FROM_SETTINGS > said]] [[text:All said]]' });
		await worker.terminal.waitForText(/All said/);
		await lab.made('said');
		await worker.idle();
		expect((await eventsOf(lab, worker)).map(({ kind }) => kind)).toEqual([
			'session-start',
			'prompt',
			'tool-start',
			'tool-end',
			'stop',
		]);
	});

	it('reads a directive between two steps of its turn, and once', async () => {
		const { worker, letGo, id } = await steered();
		letGo();
		expect(isAfter(await lab.seen(WORDS), 'First end')).toBe(false);
		expect(await lab.delivered(worker.address, id)).toMatchObject({
			receipt: { rung: 'steer', event: 'tool-end' },
		});
		await worker.terminal.waitForText(/First end/);
		await worker.idle();
		await eventually('it is known to be read', async () => {
			await lab.view(worker.address);
			return (await lab.delivered(worker.address, id)).receipt?.inContextAt;
		});
		expect(copies()).toBe(1);
	});

	it('reads as its next prompt, and once, what comes when its turn is just over', async () => {
		await begin();
		const letGo = holdAnswers(lab, 'tool-end');
		const worker = await lab.start({ prompt: `${lab.held} [[text:First end]]` });
		await lab.made('begun');
		const id = await lab.send(worker.address, `${WORDS} [[text:Second end]]`);
		lab.letGo();
		await worker.terminal.waitForText(/First end/);
		letGo();
		expect(isAfter(await lab.seen(WORDS), 'First end')).toBe(true);
		await worker.terminal.waitForText(/Second end/);
		await worker.idle();
		expect((await lab.delivered(worker.address, id)).receipt?.lost).toBeUndefined();
		expect(copies()).toBe(1);
	});

	it('reads again what it was given in the middle of a turn that its user breaks off', async () => {
		const { worker, letGo } = await steered();
		const before = lab.requests().length;
		await worker.interrupt();
		await worker.terminal.waitForText(/— interrupted —/);
		letGo();
		await readAgain(lab, worker, WORDS, before);
	});

	it.each(['without', 'with'])('reads again what it was given when it was killed %s its terminal', async how => {
		const { worker, letGo } = await steered();
		const before = lab.requests().length;
		const below = descendantsOf(worker.terminal.pid, await processTable());
		for (const pid of how === 'without' ? below : []) signal(pid, 'SIGKILL');
		if (how === 'with') signal(-worker.terminal.pid, 'SIGKILL');
		await worker.terminal.ended;
		letGo();
		const again = await lab.start({ resume: true, prompt: 'Go on. [[text:Going on]]' });
		await readAgain(lab, again, WORDS, before);
	});

	it('reads, once it is resumed, what was being handed over when its terminal was killed', async () => {
		await begin();
		const letGo = holdAnswers(lab, 'tool-end');
		const worker = await lab.start({ prompt: `${lab.held} [[sh:sleep 300]]` });
		await lab.made('begun');
		const id = await lab.send(worker.address, WORDS);
		lab.letGo();
		await lab.delivered(worker.address, id);
		signal(-worker.terminal.pid, 'SIGKILL');
		await worker.terminal.ended;
		letGo();
		await lab.start({ resume: true, prompt: 'Go on. [[text:Going on]]' });
		await lab.seen(WORDS);
	});

	it('reads again what its model failed on in the middle of a turn', async () => {
		const { worker, letGo } = await steered('[[err:400]]');
		letGo();
		await worker.terminal.waitForText(/400/);
		await worker.idle();
		const before = lab.requests().length;
		await worker.submit('Go on. [[text:Going on]]');
		await readAgain(lab, worker, WORDS, before);
	});

	it('asks at the desk and in the terminal: a Yes runs the tool, a No does not, and the first answer counts', async () => {
		const desk = await begin(true);
		const worker = await lab.start({ prompt: '[[esc:touch made]] [[esc:touch more]] [[text:Over]]' });
		const [first] = await desk.asked();
		expect(first).toMatchObject({ driver: 'acp-mine', kind: 'tool', tool: 'execute' });
		expect(first.body).toContain('touch made');
		expect(first.choices).toEqual([{ effect: 'once' }, { effect: 'no', isMute: true }]);
		await hearsDeskAndTerminal(lab, worker, desk, first);
	});

	it('is answered in the terminal with a Yes and at the desk with a No', async () => {
		const desk = await begin(true);
		const worker = await lab.start({ prompt: '[[esc:touch made; sleep 4]] [[esc:touch more]] [[text:Over]]' });
		await worker.terminal.waitForText(/touch made[^]*Your answer/);
		// A key is typed until its question is gone: the next one comes later.
		await answerQuestion(worker.terminal, dialog, 'y\r');
		await lab.made('made');
		const [second] = await desk.asked();
		await desk.answer(second, { effect: 'no' });
		expect(await desk.outcome(second)).toMatchObject({ state: 'applied' });
		await worker.idle();
		expect(lab.has('more')).toBe(false);
	});

	it('is interrupted, goes on, and ends with its terminal', async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[sh:touch begun; sleep 300; touch never]] [[text:Never said]]' });
		await lab.made('begun');
		const sleeping = /\bsleep\s*300\b/;
		const tools = descendantsOf(worker.terminal.pid, await processTable()).filter(pid =>
			sleeping.test(commandOf(pid)),
		);
		expect(tools.length).toBeGreaterThan(0);
		await worker.interrupt();
		await worker.terminal.waitForText(/— interrupted —/);
		await worker.idle();
		await sleep(3000);
		expect(tools.some(pid => sleeping.test(commandOf(pid)))).toBe(served.leavesTools === true);
		await worker.submit('[[text:On again]]');
		await worker.terminal.waitForText(/On again\s*\n/);
		const below = descendantsOf(worker.terminal.pid, await processTable())
			.filter(pid => !tools.includes(pid))
			.map(identify);
		await worker.terminal.close();
		await eventually('all of it has ended', () => below.every(each => liveness(each) === 'dead'));
		if (served.leavesTools) for (const pid of tools) signal(pid, 'SIGKILL');
		expect(tools.some(pid => sleeping.test(commandOf(pid)))).toBe(false);
		expect(lab.has('never')).toBe(false);
	});

	it('goes on with its conversation once it is resumed', async () => {
		await begin();
		await goesOnOnceResumed(lab);
	});
});
