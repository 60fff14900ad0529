import { afterEach, describe, expect, it } from 'vitest';
import { qwenCode } from '../../src/drivers/qwen-code/driver.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import { qwenUnderTest } from '../support/agents/qwen.ts';
import { deskOf } from '../support/desk.ts';
import { long } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { standsUntilAnsweredInTerminal } from './stories.ts';

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

	it(
		'stands at the desk until it is answered in the terminal: it is not known to be whole, so a Yes is given there',
		long,
		async () => {
			const { worker, desk } = await begin('[[sh:touch made]] [[text:All said]]');
			await standsUntilAnsweredInTerminal(lab, worker, desk, /◆\ufe0e All said/);
		},
	);

	it('is denied by a No at the desk, which ends the turn', long, async () => {
		const { worker, desk } = await begin('[[sh:touch made]] [[text:Never said]]');
		const [asked] = await desk.asked();
		await desk.answer(asked, { effect: 'end' });
		await worker.terminal.waitForText(/- Shell touch made/);
		expect(await desk.outcome(asked)).toMatchObject({ state: 'applied' });
		expect(lab.has('made')).toBe(false);
	});
});
