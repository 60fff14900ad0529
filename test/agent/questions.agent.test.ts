import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { liveness } from '../../src/base/liveness.ts';
import { opencode } from '../../src/drivers/opencode/driver.ts';
import { SessionId } from '../../src/protocol/names.ts';
import { conformanceLab, type ConformanceLab, type StartedWorker } from '../conformance/lab.ts';
import type { AgentLab } from '../support/agentLab.ts';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { toolStep } from '../support/agents/agentUnderTest.ts';
import { answerQuestion } from '../support/answerQuestion.ts';
import { deployedLab, startedTask } from '../support/deployedLab.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { gateIn } from '../support/gate.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { submit } from '../support/submit.ts';
import type { Terminal } from '../support/terminal.ts';

vi.setConfig({ maxConcurrency: 2 });

interface Asking {
	lab: AgentLab;
	terminal: Terminal;
	desk: ReturnType<typeof deskOf>;
}

async function claudeWith(prompt: string): Promise<Asking> {
	const lab = await deployedLab();
	const session = SessionId.parse(randomUUID());
	await startedTask(lab, session);
	const claude = await lab.interactive(['--session-id', session]);
	await submit(claude, prompt);
	return { lab, terminal: claude, desk: deskOf(lab.nancy) };
}

async function opencodeWith(
	prompt: string,
	asks: Readonly<Record<string, string>> = { bash: 'ask' },
	settings: Readonly<Record<string, unknown>> = {},
): Promise<Asking & { lab: ConformanceLab; worker: StartedWorker }> {
	const agent = { ...opencodeUnderTest, asking: { permission: asks, ...settings } };
	const installed = pinnedAgent('opencode');
	const lab = await conformanceLab({ agent, driver: opencode, installed }, { asks: true });
	const worker = await lab.start({ prompt, asks: true });
	return { lab, worker, terminal: worker.terminal, desk: deskOf(lab.nancy) };
}

const agents = [
	{
		name: 'Claude Code',
		start: (prompt: string): Promise<Asking> => claudeWith(prompt),
		tool: 'Bash',
		dialog: /Do you want to proceed\?|Do you want to make this edit|Do you want to create/,
		yes: '1',
		finished: /● Finished/,
	},
	{
		name: 'opencode',
		start: (prompt: string): Promise<Asking> => opencodeWith(prompt),
		tool: 'bash',
		dialog: opencodeUnderTest.question,
		yes: opencodeUnderTest.yes,
		finished: /^\s+Finished/m,
	},
];

describe.concurrent.each(agents)('a question of the real $name', ({ start, tool, dialog, yes, finished }) => {
	const made = ({ lab }: Asking) => existsSync(lab.workspace.file('made'));

	it('is answered with Yes from the desk while its own dialog is open, and the tool runs', async () => {
		const asking = await start('[[sh:touch made]] [[text:Finished]]');
		await using _ = asking.lab;
		const { desk, terminal } = asking;
		const [question] = await desk.asked();
		expect(question).toMatchObject({ kind: 'tool', tool, body: 'touch made', bodyIs: 'command' });
		await terminal.waitForText(dialog);
		expect(made(asking)).toBe(false);
		await desk.answer(question, { effect: 'once' });
		await terminal.waitForText(finished);
		expect(made(asking)).toBe(true);
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it('is answered with No and words, which the model reads, and the tool does not run', async () => {
		const asking = await start('[[sh:touch made]] [[text:Finished]]');
		await using _ = asking.lab;
		const { lab, desk, terminal } = asking;
		const [question] = await desk.asked();
		await desk.answer(question, { effect: 'no', words: 'Use the other folder.' });
		await terminal.waitForText(finished);
		expect(made(asking)).toBe(false);
		const read = lab.model.requests.filter(({ hasTools }) => hasTools).at(-1)?.text;
		expect(read?.includes('Use the other folder.')).toBe(true);
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it.each([
		{ keys: yes, state: 'yes-elsewhere', runs: true },
		{ keys: '\u001b', state: 'no-elsewhere', runs: false },
	])('is seen to be answered in the terminal: $state', async ({ keys, state, runs }) => {
		const asking = await start('[[sh:touch made]] [[text:Finished]]');
		await using _ = asking.lab;
		const { desk, terminal } = asking;
		const [question] = await desk.asked();
		await answerQuestion(terminal, dialog, keys);
		expect(await desk.outcome(question)).toMatchObject({ state });
		expect(made(asking)).toBe(runs);
		await expect(desk.answer(question, { effect: 'once' })).rejects.toMatchObject({ code: 'wrong-state' });
	});

	it('is answered too late at the desk once the terminal has answered: the first answer counts', async () => {
		const asking = await start('[[sh:touch made]] [[text:Finished]]');
		await using _ = asking.lab;
		const { desk, terminal } = asking;
		const [question] = await desk.asked();
		// Until it goes on, it learns of neither answer.
		process.kill(question.holder.pid, 'SIGSTOP');
		await answerQuestion(terminal, dialog, yes);
		await terminal.waitForText(finished);
		await desk.answer(question, { effect: 'no', words: 'Too late.' });
		process.kill(question.holder.pid, 'SIGCONT');
		expect(await desk.outcome(question)).toMatchObject({ state: 'late' });
		expect(made(asking)).toBe(true);
	});

	it('stays in the terminal when its holder is killed, and nothing runs', async () => {
		const asking = await start('[[sh:touch made]] [[text:Finished]]');
		await using _ = asking.lab;
		const { desk, terminal } = asking;
		const [question] = await desk.asked();
		await terminal.waitForText(dialog);
		process.kill(question.holder.pid, 'SIGKILL');
		expect(await desk.outcome(question)).toMatchObject({ state: 'silent' });
		// Long enough for a CLI to take the end of the holder for an answer.
		await sleep(2000);
		expect(terminal.screen()).toMatch(dialog);
		expect(made(asking)).toBe(false);
	});
});

describe.concurrent('a question of the real Claude Code', () => {
	it('is over with a No that ends the turn, and with a Claude Code that is killed after the answer', async () => {
		const { lab, terminal, desk } = await claudeWith('[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const [question] = await desk.asked();
		await desk.answer(question, { effect: 'end' });
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied', evidence: 'the turn was broken off' });
		expect(existsSync(lab.workspace.file('made'))).toBe(false);

		const gate = gateIn(lab.workspace.path);
		await submit(terminal, `${gate.step.replace('[[sh:', '[[sh:touch begun; ')} [[text:Finished]]`);
		const [next] = await desk.asked();
		await desk.answer(next, { effect: 'once' });
		await eventually('the tool runs', () => existsSync(lab.workspace.file('begun')));
		process.kill(next.agent!.pid, 'SIGKILL');
		expect(await desk.outcome(next)).toMatchObject({ state: 'ended', evidence: 'the agent has ended' });
		gate.open();
	});
});

describe.concurrent('a question of the real opencode', () => {
	it('ends with an opencode that is killed, and nobody waits any more', async () => {
		const { lab, desk } = await opencodeWith('[[sh:touch made]] [[text:Finished]]');
		await using _ = lab;
		const [question] = await desk.asked();
		const agent = await eventually('its process', () => parentOf(question.holder.pid));
		process.kill(agent, 'SIGKILL');
		expect(await desk.outcome(question)).toMatchObject({ state: 'ended' });
		await eventually('the holder is gone', () => liveness(question.holder) === 'dead');
		expect(lab.has('made')).toBe(false);
	});

	it('is one of three at once, answered in any order', async () => {
		const { lab, worker, desk } = await opencodeWith('[[par:touch a||touch b||touch c]] [[text:Finished]]');
		await using _ = lab;
		const questions = await desk.asked(3);
		for (const question of questions.toReversed()) {
			await desk.answer(question, { effect: 'once' });
			await lab.made(question.body.replace('touch ', ''));
		}
		await worker.terminal.waitForText(/^\s+Finished/m);
		for (const question of questions) expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it('ends with a No to another question of its session', async () => {
		const { lab, desk } = await opencodeWith('[[par:touch a||touch b]] [[text:Finished]]');
		await using _ = lab;
		const [first, second] = await desk.asked(2);
		await desk.answer(first, { effect: 'no', words: 'Neither.' });
		expect(await desk.outcome(second!)).toMatchObject({ state: 'no-elsewhere' });
		expect(await desk.outcome(first)).toMatchObject({ state: 'applied' });
		expect([lab.has('a'), lab.has('b')]).toEqual([false, false]);
	});

	it('is answered for the session: the rule that was shown lets the next command run', async () => {
		const { lab, worker, desk } = await opencodeWith(
			'[[sh:mkdir a]] [[sh:mkdir b]] [[sh:touch c]] [[text:Finished]]',
		);
		await using _ = lab;
		const [question] = await desk.asked();
		const rule = { effect: 'session', rule: 'bash mkdir *', keptIn: 'opencode, until it is restarted' };
		expect(question.choices).toContainEqual(rule);
		await desk.answer(question, { effect: 'session' });
		await lab.made('b');
		const [next] = await desk.asked();
		expect(next.body).toBe('touch c');
		await desk.answer(next, { effect: 'end' });
		await worker.idle();
		expect(lab.has('c')).toBe(false);
		expect(lab.requests().some(({ text }) => text.includes('Finished') && text.includes('rejected'))).toBe(false);
	});

	it('is the model’s, with several fields, labels and a text of the person’s own', async () => {
		const options = (...labels: string[]) => labels.map(label => ({ label, description: `${label} it is` }));
		const questions = [
			{ question: 'Which colours?', header: 'Colours', options: options('Blue', 'Red', 'Green'), multiple: true },
			{ question: 'Which name?', header: 'Name', options: options('Ada') },
		];
		const { lab, worker, desk } = await opencodeWith(`${toolStep('question', { questions })} [[text:Finished]]`);
		await using _ = lab;
		const [question] = await desk.asked();
		expect(question).toMatchObject({ kind: 'choice', fields: [{ isMultiple: true }, { isMultiple: false }] });
		await desk.answer(question, {
			effect: 'once',
			values: { 'Which colours?': ['Blue', 'Green'], 'Which name?': ['Grace, of course'] },
		});
		await worker.terminal.waitForText(/^\s+Finished/m);
		const read = lab.requests().at(-1)?.text ?? '';
		expect([read.includes('Blue, Green'), read.includes('Grace, of course')]).toEqual([true, true]);
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});

	it('shows what a tool of an MCP server is given, and a folder outside', async () => {
		const command = [process.execPath, '-e', MCP_SERVER];
		const { lab, worker, desk } = await opencodeWith(
			`${toolStep('own_greet', { name: 'Bo' })} [[read:/etc/hostname]] [[text:Finished]]`,
			{ 'own_*': 'ask', external_directory: 'ask' },
			{ mcp: { own: { type: 'local', command } } },
		);
		await using _ = lab;
		const [greet] = await desk.asked();
		expect(greet).toMatchObject({ tool: 'own_greet', bodyIs: 'json' });
		expect(JSON.parse(greet.body)).toEqual({ name: 'Bo' });
		await desk.answer(greet, { effect: 'once' });
		await lab.seen('Hello Bo');
		const [outside] = await desk.asked();
		expect(outside).toMatchObject({ tool: 'external_directory', title: '/etc/hostname' });
		expect(outside.also).toContainEqual({ name: 'patterns', value: '/etc/*' });
		await desk.answer(outside, { effect: 'once' });
		await worker.terminal.waitForText(/^\s+Finished/m);
		expect(await desk.outcome(outside)).toMatchObject({ state: 'applied' });
	});

	it('shows an edit as its diff, and the subagent that asks', async () => {
		const task = { description: 'Look', prompt: '[[write:new.txt|hello]] [[text:Over]]', subagent_type: 'general' };
		const prompt = `${toolStep('task', task)} [[text:Finished]]`;
		const { lab, worker, desk } = await opencodeWith(prompt, { edit: 'ask' });
		await using _ = lab;
		const [question] = await desk.asked();
		expect(question).toMatchObject({ tool: 'edit', bodyIs: 'diff', subagentName: 'general' });
		expect(question.subagent).toMatch(/^ses_/);
		expect(question.body).toContain('+hello');
		expect(question.files).toEqual([lab.workspace.file('new.txt')]);
		await desk.answer(question, { effect: 'once' });
		await lab.made('new.txt');
		await worker.terminal.waitForText(/^\s+Finished/m);
		expect(await desk.outcome(question)).toMatchObject({ state: 'applied' });
	});
});

/** A server of one tool, by the lines of its protocol. */
const MCP_SERVER = `
const answers = {
	initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1' } }),
	'tools/list': () => ({ tools: [{ name: 'greet', description: 'Greets', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } }] }),
	'tools/call': ({ arguments: { name } }) => ({ content: [{ type: 'text', text: 'Hello ' + name }] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
	const { id, method, params } = JSON.parse(line);
	if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }));
});
`;

/** Of a process of this machine. */
function parentOf(pid: number): number | undefined {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) || undefined;
}
