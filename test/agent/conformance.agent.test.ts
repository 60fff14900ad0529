import { describe, expect, it, vi } from 'vitest';
import { driverById } from '../../src/drivers/index.ts';
import type { Cell } from '../conformance/cell.ts';
import { cells } from '../conformance/cells.ts';
import { judge } from '../conformance/judge.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';

// Each starts a CLI, which takes a core for a second or two and then mostly waits.
vi.setConfig({ maxConcurrency: 3 });

/** The cells that matter most; `npm run conformance` has the others. */
const chosen = ({ inTests }: AgentUnderTest): Cell[] => cells.filter(({ id }) => inTests.includes(id));

describe.each(agentsUnderTest.filter(agent => chosen(agent).length > 0).map(agent => [agent.id, agent] as const))(
	'%s keeps what its driver promises',
	(id, agent) => {
		const driver = driverById(agent.driver);
		if (!driver) throw new Error(`there is no driver ${agent.driver}`);
		it.concurrent.each(chosen(agent).map(cell => [cell.title, cell] as const))('%s', async (_, cell) => {
			let details = '';
			const result = await judge(cell, { agent, driver, installed: pinnedAgent(id) }, text => (details = text));
			expect(result.is, `${result.because}\n${details}`).not.toBe('fails');
			expect(result.understated, 'the driver declares as missing what works').toBeUndefined();
		});
	},
);
