import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { prepareHeadless } from '../../src/core/driver/launch.ts';
import { driverById } from '../../src/drivers/index.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { agentLab, type AgentLab } from '../support/agentLab.ts';
import { agentsUnderTest } from '../support/agents/index.ts';

/** The answer of an agent in its most careful mode, and what its model was asked. */
async function answerOf(lab: AgentLab, id: string, prompt: string): Promise<string> {
	const driver = driverById(id);
	if (!driver || driver.headless === 'none') throw new Error('each of them runs without a terminal');
	const launch = await prepareHeadless(driver, {
		session: SessionId.parse(randomUUID()),
		resume: undefined,
		model: undefined,
		permissions: driver.headless.permissionModes[0]?.id ?? '',
		extra: [],
		prompt,
		version: driver.oldestVersion,
		workspaceFolder: lab.workspace.path,
		hooks: undefined,
		env: lab.env,
	});
	const env = { ...lab.env, ...launch.env };
	const child = spawn(lab.agent.command, launch.args, { cwd: lab.workspace.path, env });
	child.stdin.end(launch.stdin);
	return (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
}

describe('a prompt of a run without a terminal', () => {
	it.each(agentsUnderTest)('has no file read that it mentions: $driver', async agent => {
		await using lab = await agentLab(agent.home);
		const secret = `secret-${randomUUID()}`;
		const files = [`${lab.home}/key.txt`, lab.workspace.file('inside.txt')];
		for (const file of files) writeFileSync(file, `${secret}\n`);
		const outside = relative(lab.workspace.path, lab.home);
		const mentions = [`@${lab.home}/key.txt`, '@~/key.txt', `@${outside}/key.txt`, '@inside.txt', '"@inside.txt"'];
		const prompt = `Compare ${mentions.join(', ')} and @types/node. [[text:Compared]]`;
		expect(await answerOf(lab, agent.driver, prompt)).toContain('Compared');
		const { requests } = lab.model;
		expect(requests.filter(({ body }) => JSON.stringify(body).includes(secret))).toEqual([]);
		// Escaped, it is still to be read.
		const read = requests.map(request => request.text.replaceAll('\\@', '@')).join();
		for (const mention of mentions) expect(read).toContain(mention);
	});

	it.each(agentsUnderTest)('is a prompt also where it begins like a command: $driver', async agent => {
		await using lab = await agentLab(agent.home);
		expect(await answerOf(lab, agent.driver, '/help me [[text:Helped]]')).toContain('Helped');
	});
});
