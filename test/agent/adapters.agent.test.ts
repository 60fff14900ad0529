import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { signal } from '../../src/process/signal.ts';
import { eventsOf } from '../conformance/evidence.ts';
import type { ConformanceLab } from '../conformance/lab.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { long, longIf } from '../support/long.ts';
import { claudeAdapterServed, codexAdapterServed, commandOf, servedLab } from '../support/servedAgents.ts';
import { goesOnOnceResumed, hearsDeskAndTerminal } from './stories.ts';

describe.each([claudeAdapterServed, codexAdapterServed])('$agent.id, named by a setting', served => {
	const decides = served === codexAdapterServed;
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async (asks = false) => {
		lab = await servedLab(served, { asks, env: { FROM_SETTINGS: 'yes' } });
		return deskOf(lab.nancy);
	};
	const dialog = /Your answer[^\n]*\s*$/;

	it('runs a turn with the variables of the setting, and is idle', longIf(!decides), async () => {
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

	it(
		'asks at the desk and in the terminal: a Yes runs the tool, a No does not, and the first answer counts',
		longIf(!decides),
		async () => {
			const desk = await begin(true);
			const worker = await lab.start({ prompt: '[[esc:touch made]] [[esc:touch more]] [[text:Over]]' });
			const [first] = await desk.asked();
			expect(first).toMatchObject({ driver: 'acp-mine', kind: 'tool', tool: 'execute' });
			expect(first.body).toContain('touch made');
			expect(first.choices).toEqual([{ effect: 'once' }, { effect: 'no', isMute: true }]);
			await hearsDeskAndTerminal(lab, worker, desk, first);
		},
	);

	it('is answered in the terminal with a Yes and at the desk with a No', long, async () => {
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

	it('is interrupted, goes on, and ends with its terminal', long, async () => {
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

	it('goes on with its conversation once it is resumed', long, async () => {
		await begin();
		await goesOnOnceResumed(lab);
	});
});
