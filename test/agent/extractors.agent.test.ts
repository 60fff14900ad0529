import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../../src/base/atomicFile.ts';
import { requestOf } from '../../src/core/memory/extraction.ts';
import { driverById } from '../../src/drivers/index.ts';
import { extractor } from '../../src/drivers/codex/extractor.ts';
import { ExtractedOutput, ProjectTaskOutput } from '../../src/protocol/output/memory.ts';
import { agentLab, type AgentLab } from '../support/agentLab.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { claudeCodeUnderTest } from '../support/agents/claudeCode.ts';
import { codexUnderTest } from '../support/agents/codex.ts';
import { agentsUnderTest } from '../support/agents/index.ts';
import { codexHome } from '../support/codexHome.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { longIf } from '../support/long.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const note = {
	op: 'add',
	category: 'failures',
	id: null,
	text: 'npm test fails here unless DB_URL is set.',
	reason: null,
	evidence: [{ ref: 'p1', quote: 'the pool needs DB_URL to be set' }],
};
const answer = { summary: 'Found out what the tests need.', plan: null, updates: [note] };

/** Tools that do nothing but answer or ask, where the CLI leaves out no more. */
const LEFT: Readonly<Record<string, readonly string[]>> = {
	// The first one says of itself that it is never called.
	'claude-code': ['DeferredToolPlaceholder', 'StructuredOutput'],
	codex: ['request_user_input'],
};

const Tool = z.looseObject({
	name: z.optional(z.string()),
	function: z.optional(z.looseObject({ name: z.string() })),
	functionDeclarations: z.optional(z.array(z.looseObject({ name: z.string() }))),
});
const Body = z.looseObject({ tools: z.optional(z.array(Tool)) });

/** The names of the tools in a request of any protocol. */
function offered(body: unknown): string[] {
	const { tools = [] } = Body.parse(body);
	return tools.flatMap(({ name, function: one, functionDeclarations: several = [] }) =>
		[name, one?.name, ...several.map(each => each.name)].filter(each => each !== undefined),
	);
}

/** One task of a project, and the notes of it, as a person starts them. */
function session(lab: AgentLab, { driver: id, env }: AgentUnderTest, prompt: string) {
	const headless = driverById(id)?.headless ?? 'none';
	if (headless === 'none') throw new Error('each of them runs without a terminal');
	const widest = headless.permissionModes.toSorted((a, b) => b.width - a.width)[0]?.id ?? '';
	return nancy.start(['start', 'tried', '--agent', id, '--permissions', widest, '--json'], {
		cwd: lab.workspace.path,
		env: {
			...lab.env,
			...env,
			PATH: `${dirname(lab.agent.command)}${delimiter}${lab.env['PATH']}`,
			XDG_DATA_HOME: nancy.dataFolder,
			XDG_CONFIG_HOME: join(lab.home, '.config'),
		},
		stdin: `${prompt}\n`,
	});
}

const deciding: readonly AgentUnderTest[] = [claudeCodeUnderTest, codexUnderTest];

describe.each(agentsUnderTest)('$driver, asked for the notes of its task', agent => {
	it(
		'answers in one call without a tool that does anything, of which no hook tells',
		longIf(!deciding.includes(agent)),
		async () => {
			await using lab = await agentLab(agent.home);
			lab.model.answerNotes(answer);
			const why = "echo 'the pool needs DB_URL to be set' >&2; exit 1";
			const { stdout, stderr } = await session(
				lab,
				agent,
				`Why? [[sh:echo a]] [[sh:echo b]] [[sh:${why}]] [[text:All is said]]`,
			);
			const [task, extracted] = stdout
				.trim()
				.split('\n')
				.map(line => JSON.parse(line) as unknown);
			expect([ProjectTaskOutput.parse(task), stderr]).toMatchObject([{ task: 1, extraction: 'due' }, stderr]);
			expect(ExtractedOutput.parse(extracted)).toMatchObject({
				state: 'merged',
				added: { failures: 1 },
				dropped: [],
			});

			const digest = join(lab.home, '.config', 'nancy', 'projects', 'tried', 'tasks', '001.digest.md');
			expect(readFileSync(digest, 'utf8')).toMatch(/^a1 last words of the agent\n {2}All is said$/m);

			const calls = lab.model.requests.filter(({ text }) =>
				text.includes('You keep the notes of a software project'),
			);
			expect(calls).toHaveLength(1);
			expect(calls[0]?.text).toContain('the pool needs DB_URL to be set');
			expect(offered(calls[0]?.body)).toEqual(LEFT[agent.driver] ?? []);
			// Nothing of the workspace, nothing left behind, and only the task's own session.
			expect(calls[0]?.text).not.toContain(lab.workspace.path);
			expect(readdirSync(join(nancy.dataFolder, 'nancy', 'extraction'))).toEqual([]);
			expect(readdirSync(lab.workspace.file('.nancy', 'traffic'))).toHaveLength(1);
		},
	);
});

it('Codex, asked for notes, starts no server of its user’s', async () => {
	const started = join(nancy.dataFolder, 'started');
	await using lab = await agentLab(codexHome);
	for (const name of ['mine', '"other one"'])
		appendFileSync(
			join(lab.home, '.codex', 'config.toml'),
			`\n[mcp_servers.${name}]\ncommand = "touch"\nargs = ["${started}"]\n`,
		);
	lab.model.answerNotes(answer);
	const [cwd, folder] = [join(nancy.dataFolder, 'asked'), join(nancy.dataFolder, 'asked-files')];
	mkdirSync(cwd, { recursive: true });
	const { texts } = requestOf('p1 user\n  Why?\n', { task: { number: 1, prompt: 'Why?' }, notes: [], plan: '' });
	const launch = extractor.launch({ ...texts, model: undefined, version: [0, 169, 0], folder, env: lab.env });
	for (const { path, content } of launch.files ?? []) await writeFileAtomic(path, content);
	const child = spawn(lab.agent.command, launch.args, { cwd, env: lab.env, stdio: ['pipe', 'ignore', 'ignore'] });
	child.stdin.end(launch.stdin);
	await once(child, 'close');
	expect(lab.model.requests).toHaveLength(1);
	expect(existsSync(started)).toBe(false);
});
