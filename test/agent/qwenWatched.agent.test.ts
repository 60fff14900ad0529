import { afterEach, describe, expect, it } from 'vitest';
import { qwenCode } from '../../src/drivers/qwen-code/driver.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import { qwenUnderTest } from '../support/agents/qwen.ts';
import { deskOf } from '../support/desk.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';

describe('a question of the real Qwen Code in a watched terminal', () => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async (prompt: string) => {
		const candidate = { agent: qwenUnderTest, driver: qwenCode, installed: pinnedAgent('qwen') };
		lab = await conformanceLab(candidate, { watched: true, asks: true });
		const worker = await lab.start({ prompt, asks: true });
		// What its hooks report is collected, as a window does it.
		await lab.becomes(worker.address, 'its session is known', ({ record }) => record.sessions.length > 0);
		return { worker, desk: deskOf(lab.nancy) };
	};

	it('stands at the desk, where a Yes lets the tool run, once', async () => {
		const { worker, desk } = await begin('[[sh:touch made]] [[sh:touch more]] [[text:All said]]');
		const [first] = await desk.asked();
		expect(first).toMatchObject({
			kind: 'tool',
			tool: 'run_shell_command',
			body: 'touch made',
			bodyIs: 'command',
			choices: [{ effect: 'once' }, { effect: 'end', isMute: true }],
			session: await worker.session(),
		});
		expect(worker.terminal.screen()).toMatch(qwenUnderTest.question);
		expect(lab.has('made')).toBe(false);
		await desk.answer(first, { effect: 'once' });
		await lab.made('made');
		expect(await desk.outcome(first)).toMatchObject({ state: 'applied' });
		const [second] = await desk.asked();
		expect(second).toMatchObject({ body: 'touch more' });
		expect(lab.has('more')).toBe(false);
		await desk.answer(second, { effect: 'once' });
		await worker.terminal.waitForText(/◆\ufe0e All said/);
		expect(lab.has('more')).toBe(true);
		await worker.idle();
	});

	it('is denied by a No at the desk, which ends the turn', async () => {
		const { worker, desk } = await begin('[[sh:touch made]] [[text:Never said]]');
		const [asked] = await desk.asked();
		await desk.answer(asked, { effect: 'end' });
		await worker.terminal.waitForText(/- Shell touch made/);
		expect(await desk.outcome(asked)).toMatchObject({ state: 'applied' });
		expect(lab.has('made')).toBe(false);
	});
});
