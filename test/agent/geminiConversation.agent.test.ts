import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { geminiCli } from '../../src/drivers/gemini-cli/driver.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { isAfter } from '../conformance/evidence.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import { geminiUnderTest } from '../support/agents/gemini.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { long } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { beginsAnewByClear, hearsWhyNot, runsByTheDesk } from './stories.ts';

describe('a conversation with the real Gemini CLI in a terminal of Nancy’s own', () => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async () => {
		const candidate = { agent: geminiUnderTest, driver: geminiCli, installed: pinnedAgent('gemini') };
		lab = await conformanceLab(candidate, { asks: true, answers: true });
		return deskOf(lab.nancy);
	};
	const dialog = /Your answer[^\n]*\s*$/;

	it(
		'asks in the terminal and at the desk, the first answer counts, and a No lets the model go on, with the words of why',
		long,
		async () => {
			const desk = await begin();
			const worker = await lab.start({
				prompt: '[[sh:touch made]] [[sh:touch more; sleep 4]] [[sh:touch never]] [[text:All said]]',
				asks: true,
			});
			const [first] = await desk.asked();
			expect(first).toMatchObject({
				kind: 'tool',
				tool: 'run_shell_command',
				body: 'touch made',
				bodyIs: 'command',
				session: await worker.session(),
			});
			await worker.terminal.waitForText(/│ touch made/);
			await lab.becomes(worker.address, 'waiting', ({ state }) => state.phase === 'waiting');
			await runsByTheDesk(lab, desk, first);
			const [second] = await desk.asked();
			await worker.terminal.waitForText(/touch more[^]*Your answer/);
			// A key is typed until its question is gone: the next one comes later.
			await answerQuestion(worker.terminal, dialog, 'y\r');
			await lab.made('more');
			expect(await desk.outcome(second)).toMatchObject({ state: 'yes-elsewhere' });
			const [third] = await desk.asked();
			await hearsWhyNot(lab, third);
			await worker.terminal.waitForText(/All said/);
			expect(await desk.outcome(third)).toMatchObject({ state: 'applied' });
			expect(lab.has('never')).toBe(false);
			await worker.idle();
		},
	);

	it('shows an edit as its diff, which is answered at the desk', long, async () => {
		const desk = await begin();
		const file = lab.workspace.file('a.txt');
		writeFileSync(file, 'one\ntwo\n');
		await lab.start({ prompt: `[[write:${file}|one\nthree]] [[text:Over]]`, asks: true });
		const [edit] = await desk.asked();
		expect(edit).toMatchObject({ bodyIs: 'diff', body: ' one\n-two\n+three', files: [file] });
		await desk.answer(edit, { effect: 'once' });
		await eventually('the file has changed', () => readFileSync(file, 'utf8').includes('three'));
		expect(await desk.outcome(edit)).toMatchObject({ state: 'applied' });
	});

	it('hears feedback when it would stop, and is woken by a message while it is idle', async () => {
		await begin();
		const worker = await lab.start({ prompt: `${lab.held} [[text:First end]]` });
		await lab.made('begun');
		await lab.becomes(worker.address, 'working', ({ state }) => state.phase === 'working');
		const feedback = await lab.send(worker.address, 'Well done. [[text:Second end]]', { kind: 'feedback' });
		lab.letGo();
		expect(isAfter(await lab.seen('Well done.'), 'First end')).toBe(true);
		expect(await lab.delivered(worker.address, feedback)).toMatchObject({ receipt: { rung: 'hook' } });
		await worker.terminal.waitForText(/Second end/);
		await worker.idle();
		const wake = await lab.send(worker.address, 'Wake up. [[text:Woken up]]', { kind: 'feedback' });
		await lab.seen('Wake up.');
		expect(await lab.delivered(worker.address, wake)).toMatchObject({ receipt: { rung: 'waiter' } });
		await worker.terminal.waitForText(/Woken up/);
		await worker.idle();
	});

	it('begins a new conversation by /clear, which is the worker’s too', long, async () => {
		await begin();
		await beginsAnewByClear(lab, 'waiter');
	});

	it('is interrupted with the tool that runs, goes on, and ends with its terminal', long, async () => {
		await begin();
		const worker = await lab.start({ prompt: `[[sh:touch begun; sleep 1000]] [[text:Never said]]` });
		await lab.made('begun');
		await worker.interrupt();
		await worker.terminal.waitForText(/— interrupted —/);
		await worker.idle();
		await worker.submit('[[text:On again]]');
		await worker.terminal.waitForText(/On again/);
		const [agent] = descendantsOf(worker.terminal.pid, await processTable()).map(identify);
		await worker.terminal.close();
		await eventually('the agent has ended', () => agent && liveness(agent) === 'dead');
		await lab.becomes(worker.address, 'ended', ({ state }) => state.phase === 'ended');
	});
});
