import { afterEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { serverDriver } from '../../src/drivers/acp/server.ts';
import { descendantsOf, processTable } from '../../src/process/processTable.ts';
import { conformanceLab, type ConformanceLab } from '../conformance/lab.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { copilotUnderTest } from '../support/agents/copilot.ts';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';

/** Real agents, as `nancy.agentServers` names them. */
const SERVERS = [
	{ agent: opencodeUnderTest, args: ['acp'] },
	{ agent: copilotUnderTest, args: ['--acp'] },
] as const;

/** As Nancy's own program shows it: the agent's screen, options and settings of Nancy's are none of this. */
function inOwnTerminal(agent: AgentUnderTest): AgentUnderTest {
	return {
		...agent,
		home: options => ({ ...agent.home(options), unattended: [], ready: /^> ?$/m }),
		answering: 'none',
		trust: [],
	};
}

describe.each(SERVERS)('$agent.id, which only a setting names', ({ agent, args }) => {
	let lab: ConformanceLab;
	afterEach(() => lab[Symbol.asyncDispose]());
	const begin = async (asks = false) => {
		const installed = pinnedAgent(agent.id);
		const driver = serverDriver('mine', {
			command: installed.executable,
			args: [...args],
			env: { FROM_SETTINGS: 'yes' },
		});
		const candidate = { agent: inOwnTerminal(agent), driver, installed };
		lab = await conformanceLab(candidate, { asks, answers: true });
		return deskOf(lab.nancy);
	};
	/** Some ask before they run anything. */
	const allow = async (worker: Awaited<ReturnType<ConformanceLab['start']>>) => {
		if (agent.id === 'copilot') await answerQuestion(worker.terminal, dialog, 'y\r');
	};
	const dialog = /Your answer[^\n]*\s*$/;

	it('runs a turn with the variables of the setting, and is idle', async () => {
		await begin();
		const worker = await lab.start({ prompt: 'Hello there. [[sh:echo $FROM_SETTINGS > said]] [[text:All said]]' });
		await allow(worker);
		await worker.terminal.waitForText(/All said/);
		await lab.made('said');
		await worker.idle();
		expect((await lab.seen('Hello there.')).text).toContain('Hello there.');
		const view = await lab.view(worker.address);
		expect(view?.record).toMatchObject({ agent: 'acp-mine' });
		expect(view?.record.agentVersion).toBeUndefined();
	});
});
