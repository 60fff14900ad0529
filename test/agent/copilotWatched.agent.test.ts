import { afterEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { WAKE_PROMPT } from '../../src/core/driver/hooks.ts';
import { copilotCli } from '../../src/drivers/copilot-cli/driver.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import { copilotUnderTest } from '../support/agents/copilot.ts';
import { eventually } from '../support/eventually.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';

describe('the real GitHub Copilot CLI in a watched terminal, without its experimental features', () => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async () => {
		const candidate = { agent: copilotUnderTest, driver: copilotCli, installed: pinnedAgent('copilot') };
		lab = await conformanceLab(candidate, { watched: true });
		return lab.startIdle();
	};
	const queued = async (address: Parameters<ConformanceLab['view']>[0]) =>
		(await lab.nancy.mailbox(address).list(['queued'])).messages.length;

	it('is woken by typing, again and again, and its receipts say so', async () => {
		const worker = await begin();
		for (const words of ['Look at the log.', 'And at the tests.']) {
			const id = await lab.send(worker.address, `${words} [[text:Looked]]`, { kind: 'feedback' });
			expect((await lab.seen(words)).text).toContain(WAKE_PROMPT);
			expect(await lab.delivered(worker.address, id)).toMatchObject({ receipt: { rung: 'keys' } });
			await worker.idle();
		}
		expect(copilotUnderTest.complaint.test(worker.terminal.screen())).toBe(false);
	});

	it('keeps a half-typed draft as it is, and the message waits until the draft is gone', async () => {
		const worker = await begin();
		worker.terminal.type('half a thought');
		await worker.terminal.waitForText(/❯ half a thought/);
		const id = await lab.send(worker.address, 'While you type. [[text:Looked]]');
		const before = lab.requests().length;
		// It is held back: the keeper of the mailbox has seen that nobody waits to wake the agent.
		await lab.becomes(worker.address, 'the message waits', ({ queued: waiting }) => waiting === 1);
		await new Promise(resolve => setTimeout(resolve, 6000));
		expect(worker.terminal.screen()).toMatch(/❯ half a thought\s*\n/);
		expect(await queued(worker.address)).toBe(1);
		expect(lab.requests().length).toBe(before);
		for (const _ of 'half a thought') worker.terminal.type('\u007f');
		await lab.seen('While you type.');
		expect(await lab.delivered(worker.address, id)).toMatchObject({ receipt: { rung: 'keys' } });
		expect(lab.requests().some(({ text }) => text.includes('half a thought'))).toBe(false);
		await worker.idle();
	});

	it('is interrupted by keys, and ends with its terminal', async () => {
		const worker = await begin();
		await worker.submit('[[sh:touch begun; sleep 1000]] [[text:Never said]]');
		await lab.made('begun');
		await worker.interrupt();
		await worker.terminal.waitForText(/Operation cancelled by user/);
		const agents = descendantsOf(worker.terminal.pid, await processTable()).map(identify);
		expect(agents.length).toBeGreaterThan(0);
		await worker.terminal.close();
		await eventually('the agent has ended', () => agents.every(agent => liveness(agent) === 'dead'));
		await lab.becomes(worker.address, 'ended', ({ state }) => state.phase === 'ended');
	});
});
