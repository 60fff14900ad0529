import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Driver } from '../../src/core/driver/driver.ts';
import { prepareHeadless } from '../../src/core/driver/headlessOf.ts';
import { promptOfAgent } from '../../src/core/driver/promptOfAgent.ts';
import { driverById } from '../../src/drivers/index.ts';
import { SessionId } from '../../src/protocol/names.ts';
import type { RecordedRequest } from '../double/modelDouble.ts';
import { agentLab, READY_MS, type AgentLab } from '../support/agentLab.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { longIf } from '../support/long.ts';
import { terminal } from '../support/terminal.ts';

/** A PNG of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function driverOf(id: string): Driver {
	const driver = driverById(id);
	if (!driver) throw new Error(`there is no driver ${id}`);
	return driver;
}

/** The answer of an agent in its most careful mode, and what its model was asked. */
async function answerOf(lab: AgentLab, id: string, prompt: string): Promise<string> {
	const driver = driverOf(id);
	if (driver.headless === 'none') throw new Error('each of them runs without a terminal');
	const launch = await prepareHeadless(driver, {
		session: SessionId.parse(randomUUID()),
		resume: undefined,
		model: undefined,
		permissions: driver.headless.permissionModes[0]?.id ?? '',
		extra: [],
		prompt,
		version: driver.oldestVersion,
		workspaceFolder: lab.workspace.path,
		cwd: lab.workspace.path,
		hooks: undefined,
		env: lab.env,
	});
	const env = { ...lab.env, ...launch.env };
	const child = spawn(lab.agent.command, launch.args, { cwd: lab.workspace.path, env });
	child.stdin.end(launch.stdin);
	return (await Promise.all([text(child.stdout), text(child.stderr)])).join('');
}

/** What reads a file for a person who types it, in a home and a workspace with a secret. */
function withMentions(lab: AgentLab): { secret: string; mentions: string[] } {
	const secret = `secret-${randomUUID()}`;
	for (const file of [`${lab.home}/key.txt`, lab.workspace.file('inside.txt')]) writeFileSync(file, `${secret}\n`);
	const outside = relative(lab.workspace.path, lab.home);
	const mentions = [`@${lab.home}/key.txt`, '@~/key.txt', `@${outside}/key.txt`, '@inside.txt', '"@inside.txt"'];
	return { secret, mentions };
}

/** Mentions of images, as Copilot CLI takes them into its request unasked. */
function withImages(lab: AgentLab): string[] {
	const files = [`${lab.home}/a.png`, lab.workspace.file('b.png')];
	for (const file of files) writeFileSync(file, Buffer.from(PIXEL, 'base64'));
	return [...files, 'b.png', './b.png'].flatMap(file => [`@${file}`, `see@${file}`, `"@${file}"`, `(@${file})`]);
}

/** Qwen Code was made from Gemini CLI, and reads prompts with its code. */
const options = ({ driver }: AgentUnderTest) => longIf(driver === 'qwen-code');
/** opencode starts three times for this, and reads a prompt as it does in a terminal. */
const oneOfEach = ({ driver }: AgentUnderTest) => longIf(['qwen-code', 'opencode'].includes(driver));

describe.each(agentsUnderTest)('the first prompt of $driver in a terminal', agent => {
	const started = (lab: AgentLab, { driver: id, env }: AgentUnderTest, prompt: string) => {
		const { args, env: more } = driverOf(id).launch({
			session: SessionId.parse(randomUUID()),
			resume: undefined,
			fork: undefined,
			model: undefined,
			title: 'Fix the login',
			extra: [],
			prompt: promptOfAgent(prompt),
			version: driverOf(id).oldestVersion,
			workspaceFolder: lab.workspace.path,
			cwd: lab.workspace.path,
			hooks: undefined,
			env: lab.env,
		});
		return terminal(lab.agent.command, args, { cwd: lab.workspace.path, env: { ...lab.env, ...env, ...more } });
	};

	it('runs nothing and has no file read', options(agent), async () => {
		await using lab = await agentLab(agent.home);
		const { secret, mentions } = withMentions(lab);
		const pwned = lab.workspace.file('pwned');
		const all = [...mentions, ...withImages(lab)];
		const prompt = [`!touch ${pwned}`, '/help', ...all, ...all.map(each => `\\${each}`)].join('\n');
		const opened = started(lab, agent, `${prompt}\n[[text:Compared]]`);
		try {
			// Those for a title offer no tools.
			const isAsked = ({ hasTools, text: words }: RecordedRequest) => hasTools && words.includes('!touch');
			await lab.model.waitForRequest(isAsked, READY_MS);
			const given = lab.model.requests.map(({ body }) => JSON.stringify(body));
			expect(given.filter(body => body.includes(secret) || body.includes(PIXEL.slice(0, 40)))).toEqual([]);
			expect(given.filter(body => /data:image|"inline_?data"|"type":"(?:input_)?image/i.test(body))).toEqual([]);
			expect(existsSync(pwned)).toBe(false);
		} finally {
			await opened.close();
		}
	});
});

describe.each(agentsUnderTest)('a prompt of $driver without a terminal', agent => {
	it('has no file read that it mentions, also where it begins like a command', oneOfEach(agent), async () => {
		await using lab = await agentLab(agent.home);
		const { secret, mentions } = withMentions(lab);
		const pwned = lab.workspace.file('pwned');
		const rest = `Compare ${mentions.join(', ')} and @types/node.`;
		const beginnings = ['Look:', '/help me.', `!touch ${pwned}\n`];
		for (const begins of beginnings)
			expect(await answerOf(lab, agent.driver, `${begins} ${rest} [[text:Left alone]]`)).toContain('Left alone');
		expect(existsSync(pwned)).toBe(false);
		const { requests } = lab.model;
		expect(requests.filter(({ body }) => JSON.stringify(body).includes(secret))).toEqual([]);
		// Escaped, it is still to be read.
		for (const begins of beginnings) {
			const those = requests.filter(request => request.text.includes(begins.trim()));
			const read = those.map(request => request.text.replaceAll('\\@', '@')).join();
			for (const mention of mentions) expect(read).toContain(mention);
		}
	});
});
