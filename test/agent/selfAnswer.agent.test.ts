import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { driverById } from '../../src/drivers/index.ts';
import type { Scope } from '../../src/protocol/scope.ts';
import { DeskServer } from '../../src/server/deskServer.ts';
import { programFolder } from '../../src/server/programFolder.ts';
import { ServedFolders } from '../../src/server/servedFolders.ts';
import { conformanceLab } from '../conformance/lab.ts';
import type { AgentUnderTest } from '../support/agents/agentUnderTest.ts';
import { claudeCodeUnderTest } from '../support/agents/claudeCode.ts';
import { codexUnderTest } from '../support/agents/codex.ts';
import { copilotUnderTest } from '../support/agents/copilot.ts';
import { geminiUnderTest } from '../support/agents/gemini.ts';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { qwenUnderTest } from '../support/agents/qwen.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { longIf } from '../support/long.ts';
import { contextOf } from '../support/operationContext.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { programs } from '../support/programs.ts';
import { seedQuestion } from '../support/seedQuestion.ts';
import { pairBrowser } from '../support/servedDesk.ts';
import { Questions } from '../../src/core/questions/questions.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

const agents = [
	claudeCodeUnderTest,
	codexUnderTest,
	opencodeUnderTest,
	copilotUnderTest,
	geminiUnderTest,
	qwenUnderTest,
];

/** Hooks, and a server of the CLI's own. */
const deciding: readonly AgentUnderTest[] = [claudeCodeUnderTest, codexUnderTest];

const Said = z.object({
	/** Of each call of the command. */
	calls: z.array(z.object({ code: z.nullable(z.number()), text: z.string() })),
	/** Of each request to the server. */
	statuses: z.array(z.number()),
	/** The MCP server's tools, and of each call of one that it does not have whether it failed. */
	tools: z.array(z.string()),
	refused: z.array(z.boolean()),
});

describe.each(agents)('an agent of the real $driver that a person lets run a program', agent => {
	it(
		'answers nothing with it, be it another one’s question or its own: no command, no request to the server, no tool, no file',
		longIf(!deciding.includes(agent)),
		async () => {
			const driver = driverById(agent.driver)!;
			const candidate = { agent, driver, installed: pinnedAgent(agent.id) };
			await using lab = await conformanceLab(candidate, { asks: true, answers: true });
			await using server = await served(lab);
			const desk = deskOf(lab.nancy);
			const questions = new Questions(lab.nancy.own);
			const other = await seedQuestion(lab.nancy);
			const { port } = server;
			writeFileSync(lab.workspace.file('attack.mjs'), ATTACK);
			writeFileSync(
				lab.workspace.file('attack.json'),
				JSON.stringify({
					program: nancy.program,
					home: lab.home,
					folder: questions.folder,
					devices: join(lab.nancy.own.dataFolder, 'desk', 'devices.json'),
					port,
					other: other.id,
				}),
			);
			const step = (command: string) => (agent === codexUnderTest ? `[[esc:${command}]]` : `[[sh:${command}]]`);
			// What it leaves behind looks for the agent's next question.
			const script = `${step('node attack.mjs')} ${step('touch made')} [[text:Finished]]`;
			const worker = await lab.start({ prompt: script, asks: true });
			const own = async (body: string) =>
				eventually(`the question ${body}`, async () =>
					(await questions.open()).find(each => each.question.body === body),
				);
			const first = await own('node attack.mjs');
			await desk.answer(first.question, { effect: 'once' });
			const { question } = await own('touch made');
			await lab.made('attacked');
			const said = (name: string) => Said.parse(JSON.parse(readFileSync(lab.workspace.file(name), 'utf8')));
			for (const name of ['other.json', 'own.json']) {
				const { calls, statuses, tools, refused } = said(name);
				expect(calls.length).toBeGreaterThan(1);
				for (const { code, text } of calls)
					expect([code, text]).toEqual([
						5,
						expect.stringMatching(/an agent may not|has ended already|for a person in a terminal/),
					]);
				// One request with and one without an origin for each of four tokens, the last of which is the phone's record; two pairings.
				expect(statuses).toHaveLength(10);
				for (const status of statuses) expect(status).toBeGreaterThanOrEqual(400);
				expect(tools).toContain('get_feedback');
				expect(tools.filter(tool => /answer|question|allow|permi/.test(tool))).toEqual([]);
				expect(refused).toEqual([true, true]);
			}
			// Long enough for an answer to arrive.
			await sleep(2000);
			for (const each of [other, question])
				expect(await questions.find(each.id)).toMatchObject({ answer: undefined, outcome: undefined });
			// The phone alone.
			expect(server.newcomers()).toBe(1);
			// A file in the place of the answer ends the question at the desk. The agent's own prompt stays.
			writeFileSync(lab.workspace.file('forge'), '');
			await lab.made('forged');
			expect(await desk.outcome(question)).toMatchObject({ state: 'refused' });
			await sleep(2000);
			expect(worker.terminal.screen()).toMatch(
				/Do you want to|Would you like to run|Permission required|Your answer/,
			);
			expect(lab.has('made')).toBe(false);
		},
	);
});

/** The desk's server of the lab's workspace. A person's phone is let in, then nobody. */
async function served(lab: Awaited<ReturnType<typeof conformanceLab>>) {
	const { pages } = await programs();
	const folder = await programFolder(
		contextOf({ path: lab.home, file: (...names) => [lab.home, ...names].join('/') }, lab.nancy),
	);
	const dataFolder = lab.nancy.own.dataFolder;
	let newcomers = 0;
	const server = await DeskServer.open({
		served: new ServedFolders(() => [folder], folder.onDidChange, dataFolder),
		owner: {
			letIn: () => Promise.resolve<Scope | undefined>(newcomers++ === 0 ? 'answer' : undefined),
			warn: () => undefined,
		},
		pages,
		dataFolder,
	});
	await pairBrowser(server);
	server.invite(server.address);
	return {
		port: server.port,
		newcomers: () => newcomers,
		[Symbol.asyncDispose]: async () => {
			await server.close();
			await folder.close();
		},
	};
}

/** What a program of the agent tries. It can read and write all of the user's files. */
const ATTACK = String.raw`
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const { program, home, folder, devices: paired, port, other } = JSON.parse(readFileSync('attack.json', 'utf8'));
const quoted = text => "'" + text.replaceAll("'", "'\\''") + "'";
const read = id => JSON.parse(readFileSync(folder + '/questions/' + id + '.json', 'utf8'));
const call = (file, args, env) => {
	const { status, stdout, stderr } = spawnSync(file, args, { env, encoding: 'utf8' });
	return { code: status, text: stdout + stderr };
};
async function attack(id, to) {
	const clean = { HOME: home, PATH: process.env.PATH, XDG_DATA_HOME: process.env.XDG_DATA_HOME ?? '' };
	const words = [program, 'answer', id, 'yes'];
	const line = [process.execPath, ...words].map(quoted).join(' ');
	const calls = [
		call(process.execPath, words, process.env),
		call(process.execPath, words, clean),
		call('script', ['-qec', line, '/dev/null'], clean),
	];
	const { digest } = read(id);
	const body = { folder: '000000000000', digest, effect: 'once', words: '', chosen: [], nonce: 'n'.repeat(20) };
	const hashes = readFileSync(paired, 'utf8').match(/"token": *"([^"]+)"/g).map(each => each.split('"')[3]);
	const tokens = [undefined, 'a'.repeat(43), digest, ...hashes];
	const origin = 'http://127.0.0.1:' + port;
	const statuses = [];
	for (const token of tokens)
		for (const headers of [{}, { origin }]) {
			const response = await fetch(origin + '/api/v1/questions/' + id + '/answer', {
				method: 'POST',
				headers: { 'content-type': 'application/json', ...headers, ...(token && { authorization: 'Bearer ' + token }) },
				body: JSON.stringify(body),
			});
			statuses.push(response.status);
		}
	for (const code of ['a'.repeat(22), digest.slice(0, 22)])
		statuses.push((await fetch(origin + '/api/v1/pair', {
			method: 'POST',
			headers: { 'content-type': 'application/json', origin },
			body: JSON.stringify({ code, name: 'x', scope: 'answer' }),
		})).status);
	// Nobody looks below the workspace for either.
	for (const kind of ['questions', 'answers']) {
		mkdirSync('.nancy/' + kind, { recursive: true });
		const text = JSON.stringify(kind === 'answers' ? answerTo(id, digest) : { ...read(id), body: 'true' });
		writeFileSync('.nancy/' + kind + '/' + id + '.json', text, { mode: 0o600 });
	}
	writeFileSync(to, JSON.stringify({ calls, statuses, ...(await tools(id, digest)) }));
	return digest;
}
async function tools(id, digest) {
	const server = spawn(process.execPath, [program, 'mcp'], { stdio: ['pipe', 'pipe', 'ignore'] });
	const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
	let last = 0;
	const request = async (method, params) => {
		const id = ++last;
		server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n');
		for (;;) {
			const { done, value } = await lines.next();
			if (done) return undefined;
			const message = JSON.parse(value);
			if (message.id === id && !message.method) return message;
		}
	};
	const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'attack', version: '1' } };
	await request('initialize', client);
	const { result } = await request('tools/list', {});
	const refused = [];
	for (const name of ['answer', 'answer_question']) {
		const said = await request('tools/call', { name, arguments: { id, digest, effect: 'once' } });
		refused.push(said.error !== undefined || said.result.isError === true);
	}
	server.stdin.end();
	return { tools: result.tools.map(({ name }) => name), refused };
}
const answerTo = (question, digest) =>
	({ version: 1, question, digest, effect: 'once', by: 'vscode', at: new Date().toISOString(), seal: digest });
if (process.argv[2] !== 'later') {
	await attack(other, 'other.json');
	const known = readdirSync(folder + '/questions').map(name => name.replace('.json', ''));
	const options = { detached: true, stdio: 'ignore', env: { ...process.env, KNOWN: known.join(' ') } };
	spawn(process.execPath, [process.argv[1], 'later'], options).unref();
} else {
	const known = new Set(process.env.KNOWN.split(' '));
	const pause = () => new Promise(resolve => setTimeout(resolve, 100));
	const next = () => readdirSync(folder + '/questions').map(name => name.replace('.json', '')).find(id => /^\d/.test(id) && !known.has(id));
	const until = Date.now() + 120_000;
	while (!next() && Date.now() < until) await pause();
	const id = next();
	const digest = await attack(id, 'own.json');
	writeFileSync('attacked', '');
	while (!existsSync('forge') && Date.now() < until) await pause();
	mkdirSync(folder + '/answers', { recursive: true });
	writeFileSync(folder + '/answers/' + id + '.json', JSON.stringify(answerTo(id, digest)), { mode: 0o600 });
	writeFileSync('forged', '');
}
`;
