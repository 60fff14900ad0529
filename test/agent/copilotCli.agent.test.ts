import { describe, expect, it, vi } from 'vitest';
import { copilotCli } from '../../src/drivers/copilot-cli/driver.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import { copilotUnderTest } from '../support/agents/copilot.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { long } from '../support/long.ts';

// Each agent here mostly waits.
vi.setConfig({ maxConcurrency: 2 });

const openLab = () =>
	conformanceLab({ agent: copilotUnderTest, driver: copilotCli, installed: pinnedAgent('copilot') });

const queued = async (lab: ConformanceLab, address: Parameters<ConformanceLab['view']>[0]) =>
	(await lab.nancy.mailbox(address).list(['queued'])).messages.map(({ content }) => content.text);

// What every agent shall do is in the conformance suite; this is what this one does in its own way.
describe.concurrent('the real GitHub Copilot CLI', () => {
	it('denies every tool call of the step that a halt meets, and reads why', long, async () => {
		await using lab = await openLab();
		const goOn = lab.model.hold(() => lab.requests().length === 2);
		const { address, ended } = await lab.runHeadless('[[sh:true]] [[par:touch one||touch two]] [[text:Read]]');
		await lab.model.waitForRequest(() => lab.requests().length === 2);
		await lab.send(address, 'Touch nothing.', { effect: 'halt' });
		goOn();
		await ended;
		expect([lab.has('one'), lab.has('two')]).toEqual([false, false]);
		const outputs = lab.requests().at(-1)?.turns.at(-1)?.toolOutput ?? '';
		expect(outputs).toContain('Touch nothing.');
		expect(outputs).toContain('[Nancy] Not run');
	});

	it('runs no command in a mode that allows none, whatever its environment says', async () => {
		const agent = { ...copilotUnderTest, env: { ...copilotUnderTest.env, COPILOT_ALLOW_ALL: 'true' } };
		await using lab = await conformanceLab({ agent, driver: copilotCli, installed: pinnedAgent('copilot') });
		const { ended } = await lab.runHeadless('[[sh:touch never]] [[text:Tried]]', { permissions: 'edit' });
		const { events } = await ended;
		expect(events).toContainEqual(expect.objectContaining({ is: 'denied', tool: 'bash' }));
		expect(lab.has('never')).toBe(false);
	});

	it('is held back seven times in a row; the message that it would drop stays queued', async () => {
		await using lab = await openLab();
		let goOn = lab.model.hold(() => true);
		const { address, ended } = await lab.runHeadless('[[text:First end]]');
		await lab.model.waitForRequest(() => lab.requests().length === 1);
		for (let index = 1; index <= 8; index++) {
			await lab.send(address, `Note ${index}. [[text:Read]]`, { kind: 'feedback' });
			const lets = goOn;
			if (index < 8) goOn = lab.model.hold(({ text }) => text.includes(`Note ${index}.`));
			lets();
			if (index < 8) await lab.seen(`Note ${index}.`);
		}
		const { ending } = await ended;
		expect(ending).toMatchObject({ is: 'result' });
		expect(lab.requests().some(({ text }) => text.includes('Note 7.'))).toBe(true);
		expect(lab.requests().some(({ text }) => text.includes('Note 8.'))).toBe(false);
		expect(await queued(lab, address)).toEqual(['Note 8. [[text:Read]]']);
	});
});
