import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { imageFlags } from '../../src/core/driver/imageFlags.ts';
import { launchModesOf, modeFlags } from '../../src/core/driver/modeFlags.ts';
import { driverById } from '../../src/drivers/index.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { agentLab, READY_MS, type AgentLab } from '../support/agentLab.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { eventually } from '../support/eventually.ts';
import { longIf } from '../support/long.ts';
import { terminal, type Terminal } from '../support/terminal.ts';

/** A picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
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

/** Opens the agent's terminal with flags of its driver. */
function start(
	lab: AgentLab,
	{ agent, driver }: Pick<Case, 'agent' | 'driver'>,
	flags: readonly string[],
	prompt: string,
): Terminal {
	const { args, env } = driver.launch({
		session: SessionId.parse(randomUUID()),
		resume: undefined,
		fork: undefined,
		model: undefined,
		title: 'Paint it',
		extra: flags,
		prompt,
		version: driver.oldestVersion,
		workspaceFolder: lab.workspace.path,
		cwd: lab.workspace.path,
		hooks: undefined,
		env: lab.env,
	});
	return terminal(lab.agent.command, args, { cwd: lab.workspace.path, env: environment(lab, agent, env) });
}

function environment(lab: AgentLab, agent: AgentUnderTest, env: Readonly<Record<string, string>>) {
	return { ...lab.env, ...agent.env, ...env };
}

const inModes = agentsUnderTest.filter(agent => cases.some(each => each.agent === agent));

describe.each(inModes)('$driver in a terminal', agent => {
	// Qwen Code was made from Gemini CLI.
	const options = longIf(agent.driver === 'qwen-code');
	const own = cases.filter(each => each.agent === agent);
	it.each(own)('changes a file unasked in the mode $mode: $isEditing', options, async each => {
		await using lab = await agentLab(each.agent.home);
		const file = lab.workspace.file('made.txt');
		const opened = start(
			lab,
			each,
			modeFlags(each.driver, each.mode, []),
			`[[write:${file}|green]] [[text:Tried]]`,
		);
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

	const seeing = own.filter(({ driver, isEditing }) => isEditing && driver.images !== 'none');
	it.each(seeing)('gives its model the images of its start', async each => {
		await using lab = await agentLab(each.agent.home);
		const files = ['a.png', 'b c.png'].map(name => lab.workspace.file(name));
		for (const file of files) writeFileSync(file, Buffer.from(PIXEL, 'base64'));
		const prompt = 'Look at both. [[text:Seen]]';
		const opened = start(lab, each, imageFlags(each.driver, files, prompt), prompt);
		try {
			const { body } = await lab.model.waitForRequest(({ hasTools }) => hasTools, READY_MS);
			expect(
				JSON.stringify(body).match(/"type":"input_image","image_url":"data:image\/png;base64,/g),
			).toHaveLength(2);
		} finally {
			await opened.close();
		}
	});
});
