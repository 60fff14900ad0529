import { afterEach, describe, expect, it } from 'vitest';
import { qwenCode } from '../../src/drivers/qwen-code/driver.ts';
import { isAfter } from '../conformance/evidence.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import { qwenUnderTest } from '../support/agents/qwen.ts';
import { deskOf } from '../support/desk.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';

describe('a conversation with the real Qwen Code in a terminal of Nancy’s own', () => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async () => {
		const candidate = { agent: qwenUnderTest, driver: qwenCode, installed: pinnedAgent('qwen') };
		lab = await conformanceLab(candidate, { asks: true, answers: true });
		return deskOf(lab.nancy);
	};

	it('asks in the terminal and at the desk, and the first answer counts', async () => {
		const desk = await begin();
		const worker = await lab.start({
			prompt: '[[sh:touch made]] [[sh:touch more]] [[text:Both are there]]',
			asks: true,
		});
		const [first] = await desk.asked();
		expect(first).toMatchObject({ kind: 'tool', tool: 'run_shell_command', body: 'touch made' });
		await worker.terminal.waitForText(/Your answer/);
		expect(lab.has('made')).toBe(false);
		await desk.answer(first, { effect: 'once' });
		await lab.made('made');
		expect(await desk.outcome(first)).toMatchObject({ state: 'applied' });
		const [second] = await desk.asked();
		worker.terminal.type('y\r');
		await lab.made('more');
		expect(await desk.outcome(second)).toMatchObject({ state: 'yes-elsewhere' });
		await worker.terminal.waitForText(/Both are there/);
		await worker.idle();
	});

	it('reads a directive between two tools, and feedback when it would stop', async () => {
		await begin();
		const worker = await lab.start({ prompt: `${lab.held} [[sh:true]] [[text:First end]]` });
		await lab.made('begun');
		const directive = await lab.send(worker.address, 'Use the other port.');
		const feedback = await lab.send(worker.address, 'Well done. [[text:Second end]]', { kind: 'feedback' });
		lab.letGo();
		const steered = await lab.seen('Use the other port.');
		expect(isAfter(steered, 'First end')).toBe(false);
		await lab.seen('Well done.');
		expect(await lab.delivered(worker.address, directive)).toMatchObject({ receipt: { rung: 'hook' } });
		expect(await lab.delivered(worker.address, feedback)).toMatchObject({ receipt: { rung: 'hook' } });
		await worker.terminal.waitForText(/Second end/);
		await worker.submit('[[text:And on]]');
		await worker.terminal.waitForText(/And on\s*\n/);
	});

	it('is interrupted with the tool that runs, and goes on', async () => {
		await begin();
		const worker = await lab.start({ prompt: '[[sh:touch begun; sleep 300; touch never]] [[text:Never said]]' });
		await lab.made('begun');
		await worker.interrupt();
		await worker.terminal.waitForText(/interrupted/);
		await worker.submit('[[text:On again]]');
		await worker.terminal.waitForText(/On again\s*\n/);
		expect(lab.has('never')).toBe(false);
	});
});
