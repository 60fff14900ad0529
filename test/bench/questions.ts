import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { LiveQuestions } from '../../src/core/live/liveQuestions.ts';
import { DeskRules } from '../../src/core/questions/deskRules.ts';
import { drivers } from '../../src/drivers/index.ts';
import { opencode } from '../../src/drivers/opencode/driver.ts';
import { SessionId } from '../../src/protocol/names.ts';
import type { Question } from '../../src/protocol/question.ts';
import { conformanceLab } from '../conformance/lab.ts';
import type { AgentLab } from '../support/agentLab.ts';
import { opencodeUnderTest } from '../support/agents/opencode.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { deskOf } from '../support/desk.ts';
import { eventually } from '../support/eventually.ts';
import { pinnedAgent } from '../support/pinnedAgent.ts';
import { submit } from '../support/submit.ts';
import { megabytes, memoryOf, type Memory } from './processMeters.ts';
import { median, milliseconds, quantile, type Row } from './table.ts';

/** Few and short: a CLI shows a long prompt as pasted text. */
const FILES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

/** Asks for one command after the other. Each makes a file of its own. */
const PROMPT = FILES.map(file => `[[sh:touch ${file}]]`).join('');

/** How soon a question of a real CLI is in a window, how soon its tool runs after the answer, and what the process that waits costs. */
export async function benchQuestions(): Promise<Row[]> {
	return [...(await ofClaude()), ...(await ofOpencode())];
}

async function ofClaude(): Promise<Row[]> {
	await using lab = await deployedLab();
	const session = SessionId.parse(randomUUID());
	await startedTask(lab, session);
	const terminal = await lab.interactive(['--session-id', session]);
	return await measured('Claude Code', lab, 500, () => submit(terminal, PROMPT));
}

async function ofOpencode(): Promise<Row[]> {
	const agent = { ...opencodeUnderTest, asking: { permission: { bash: 'ask' } } };
	const candidate = { agent, driver: opencode, installed: pinnedAgent('opencode') };
	await using lab = await conformanceLab(candidate, { asks: true });
	return await measured('opencode', lab, 100, () => lab.start({ prompt: PROMPT, asks: true }));
}

async function measured(
	agent: string,
	lab: AgentLab & Pick<DeployedLab, 'nancy'>,
	goalMs: number,
	start: () => Promise<unknown>,
): Promise<Row[]> {
	const rules = new DeskRules(lab.workspace.file('no-config'), lab.nancy.own.dataFolder);
	const fail = (error: unknown) => {
		throw error;
	};
	const live = new LiveQuestions(lab.nancy, { readOnly: false, drivers, rules, fail });
	using _ = { [Symbol.dispose]: () => live.dispose() };
	const seen = new Map<string, { question: Question; at: number }>();
	live.onDidChange(() => {
		for (const { question } of live.all())
			if (!seen.has(question.title)) seen.set(question.title, { question, at: Date.now() });
	});
	const desk = deskOf(lab.nancy);
	const visible: number[] = [];
	const runs: number[] = [];
	const memory: Memory[] = [];
	await start();
	for (const name of FILES) {
		const { question, at } = await eventually('the question', () => seen.get(`touch ${name}`));
		const asked = lab.model.requests.findLast(request => request.hasTools);
		if (!asked) throw new Error('the model was asked nothing: the figure would be worthless');
		visible.push(at - asked.at);
		memory.push(livingMemory(question.holder.pid));
		const answered = Date.now();
		await desk.answer(question, { effect: 'once' });
		const file = lab.workspace.file(name);
		await eventually('the tool has run', () => existsSync(file));
		runs.push(statSync(file).birthtimeMs - answered);
	}
	return [
		timeRow(`a question of ${agent}: the model’s reply, until it is in a window`, visible, 500),
		timeRow(`the answer to ${agent}, until its tool runs`, runs, goalMs),
		memoryRow(agent, memory, await bareNode()),
	];
}

/** Of the process that waits for an answer. How much is shared depends on the number of Nodes that run. */
function memoryRow(agent: string, holders: readonly Memory[], bare: Memory): Row {
	const middle = (part: keyof Memory) => median(holders.map(memory => memory[part]));
	const said = (of: (part: keyof Memory) => number) =>
		`${megabytes(of('proportional'))} (PSS), ${megabytes(of('own'))} of its own`;
	return {
		what: `the process that waits, for ${agent}`,
		value: said(middle),
		against: `Node alone ${said(part => bare[part])}`,
		ratio: middle('proportional') / bare.proportional,
		goal: '<= 15 MB',
		met: middle('proportional') <= 15 * 1024 * 1024,
	};
}

/** Against the start of Node, which tells how busy the machine is. */
function timeRow(what: string, times: readonly number[], goalMs: number): Row {
	const middle = median(times);
	const start = nodeStartMs();
	return {
		what,
		value: `p50 ${milliseconds(middle)}, p90 ${milliseconds(quantile(times, 0.9))}`,
		against: `node -e 0 ${milliseconds(start)}`,
		ratio: middle / start,
		goal: `p50 <= ${goalMs} ms`,
		met: middle <= goalMs,
	};
}

function nodeStartMs(): number {
	const times = Array.from({ length: 9 }, () => {
		const begun = performance.now();
		spawnSync(process.execPath, ['-e', '0']);
		return performance.now() - begun;
	});
	return median(times);
}

async function bareNode(): Promise<Memory> {
	const node = spawn(process.execPath, ['-e', 'console.log(); setInterval(() => {}, 1e6)']);
	await once(node.stdout, 'data');
	const memory = livingMemory(node.pid ?? 0);
	node.kill('SIGKILL');
	return memory;
}

function livingMemory(pid: number): Memory {
	const memory = memoryOf(pid);
	if (!memory) throw new Error(`process ${pid} has ended: the figure would be worthless`);
	return memory;
}
