import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { launchModesOf, modeFlags } from '../../src/core/driver/modeFlags.ts';
import { driverById } from '../../src/drivers/index.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { agentLab, READY_MS, type AgentLab } from '../support/agentLab.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { eventually } from '../support/eventually.ts';
import { terminal, type Terminal } from '../support/terminal.ts';

const EDITS = /edit|write/i;

/** The modes that matter: the most careful one, and the one that edits. Those between them ask too. */
const cases = agentsUnderTest.flatMap(agent => {
	const driver = driverById(agent.driver);
	if (!driver) throw new Error(`there is no driver ${agent.driver}`);
	const modes = launchModesOf(driver);
	return modes
		.filter(({ id }, at) => at === 0 || EDITS.test(id))
		.map(({ id }) => ({ agent, driver, mode: id, isEditing: EDITS.test(id) }));
});

type Case = (typeof cases)[number];

function start(lab: AgentLab, { agent, driver, mode }: Pick<Case, 'agent' | 'driver' | 'mode'>, prompt: string): Terminal {
	const { args, env } = driver.launch({
		session: SessionId.parse(randomUUID()),
		resume: undefined,
		fork: undefined,
		model: undefined,
		title: 'Paint it',
		extra: modeFlags(driver, mode, []),
		prompt,
		version: driver.oldestVersion,
		workspaceFolder: lab.workspace.path,
		hooks: undefined,
		env: lab.env,
	});
	return terminal(lab.agent.command, args, { cwd: lab.workspace.path, env: environment(lab, agent, env) });
}

function environment(lab: AgentLab, agent: AgentUnderTest, env: Readonly<Record<string, string>>) {
	return { ...lab.env, ...agent.env, ...env };
}

describe('an agent in a terminal', () => {
	it.each(cases)('$driver.id changes a file unasked in the mode $mode: $isEditing', async each => {
		await using lab = await agentLab(each.agent.home);
		const file = lab.workspace.file('made.txt');
		const opened = start(lab, each, `[[write:${file}|green]] [[text:Tried]]`);
		try {
			const asked = () => lab.model.requests.filter(({ hasTools }) => hasTools).length;
			// It asks its user, or tells the model that this is denied.
			const isOver = () => existsSync(file) || asked() > 1 || /\bYes\b/.test(opened.screen());
			await eventually('the agent has tried', isOver, { timeoutMs: 3 * READY_MS }).catch((cause: unknown) => {
				throw new Error(opened.screen(), { cause });
			});
			expect(existsSync(file)).toBe(each.isEditing);
		} finally {
			await opened.close();
		}
	});
});
