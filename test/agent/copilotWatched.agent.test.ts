import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { WAKE_PROMPT } from '../../src/core/driver/hooks.ts';
import { copilotCli } from '../../src/drivers/copilot-cli/driver.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import { copilotUnderTest } from '../support/agents/copilot.ts';
import { eventually } from '../support/eventually.ts';
import { long } from '../support/long.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { isWokenByTyping, keepsHalfTypedDraft } from './stories.ts';

describe('the real GitHub Copilot CLI in a watched terminal, without its experimental features', () => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async ({ asks = false } = {}) => {
		const candidate = { agent: copilotUnderTest, driver: copilotCli, installed: pinnedAgent('copilot') };
		lab = await conformanceLab(candidate, { watched: true });
		const worker = await lab.start({ prompt: '[[text:First turn]]', asks });
		await worker.idle();
		return worker;
	};
	it('is woken by typing, again and again, and its receipts say so', long, async () => {
		const worker = await begin();
		await isWokenByTyping(lab, worker);
	});

	it('gets a wake as its first prompt if it was started without one', long, async () => {
		const candidate = { agent: copilotUnderTest, driver: copilotCli, installed: pinnedAgent('copilot') };
		lab = await conformanceLab(candidate, { watched: true });
		const worker = await lab.start();
		const id = await lab.send(worker.address, 'Begin with the log. [[text:Begun]]');
		expect((await lab.seen('Begin with the log.')).text).toContain(WAKE_PROMPT);
		expect(await lab.delivered(worker.address, id)).toMatchObject({ receipt: { rung: 'keys' } });
		await worker.idle();
	});

	it('keeps a half-typed draft as it is, and the message waits until the draft is gone', long, async () => {
		const worker = await begin();
		await keepsHalfTypedDraft(lab, worker, '❯');
	});

	it('takes the keys of a wake for no answer to a question that opens in that moment', long, async () => {
		if (copilotCli.screen === 'none') throw new Error('its screen can be read');
		const worker = await begin({ asks: true });
		await worker.submit('[[sh:touch made]] [[text:Over]]');
		await worker.terminal.waitForText(copilotUnderTest.question);
		worker.terminal.type(WAKE_PROMPT);
		worker.terminal.type(copilotCli.screen.sends);
		// A key that it takes shows at once.
		await new Promise(resolve => setTimeout(resolve, 2000));
		expect(worker.terminal.screen()).toMatch(copilotUnderTest.question);
		expect(lab.has('made')).toBe(false);
		worker.terminal.type(copilotUnderTest.no);
		await worker.terminal.waitForText(/Operation cancelled by user/);
		expect(lab.has('made')).toBe(false);
	});

	it('is known for the worker that it is, in a command that has cleared its environment', long, async () => {
		const worker = await begin();
		// In a script: the CLI looks at the paths in a command.
		writeFileSync(
			lab.workspace.file('ask.sh'),
			`clean() { env -i HOME="$HOME" PATH="$PATH" nancy "$@" 2>&1; }\nclean setup\nclean inbox\n`,
		);
		await lab.send(worker.address, 'A message of its own. [[text:Read]]');
		await lab.seen('A message of its own.');
		await worker.idle();
		await worker.submit('[[sh:sh ask.sh > said.txt]] [[text:All asked]]');
		await worker.terminal.waitForText(/● All asked/);
		const said = readFileSync(lab.workspace.file('said.txt'), 'utf8');
		expect(said).toContain('an agent may not change the settings');
		expect(said).toContain('A message of its own.');
	});

	it('is interrupted by keys, and ends with its terminal', long, async () => {
		const worker = await begin();
		await worker.submit('[[sh:touch begun; sleep 1000]] [[text:Never said]]');
		await lab.made('begun');
		// The CLI takes two presses for one interruption only if it reads them within half a second, which a busy machine may not let it.
		const isInterrupted = async () => {
			if (/Operation cancelled by user/.test(worker.terminal.screen())) return true;
			await worker.interrupt();
			return false;
		};
		await eventually('it is interrupted', isInterrupted, { everyMs: 3000 });
		const agents = descendantsOf(worker.terminal.pid, await processTable()).map(identify);
		expect(agents.length).toBeGreaterThan(0);
		await worker.terminal.close();
		await eventually('the agent has ended', () => agents.every(agent => liveness(agent) === 'dead'));
		await lab.becomes(worker.address, 'ended', ({ state }) => state.phase === 'ended');
	});
});
