import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SessionId } from '../../src/protocol/names.ts';
import { submit } from '../support/submit.ts';
import { deployedLab, startedTask, type DeployedLab } from '../support/deployedLab.ts';
import { median, milliseconds, quantile, type Row } from './table.ts';

const CALLS = 30;
const ROUNDS = 7;
const WAKES = 8;

/** What the real Claude Code, with a scripted model, pays for Nancy's hooks, and how soon a message reaches the model. */
export async function benchAgent(): Promise<Row[]> {
	return [await toolCalls(), await midRun(), await idleWake()];
}

/** All deployed hooks together against none, per tool call: the time between the first request and the last. */
async function toolCalls(): Promise<Row> {
	await using plain = await deployedLab({ isDeployed: false });
	await using hooked = await deployedLab();
	const times = { plain: [] as number[], hooked: [] as number[] };
	for (let round = -1; round < ROUNDS; round++) {
		for (const [name, lab] of [
			['plain', plain],
			['hooked', hooked],
		] as const) {
			const perCall = await timePerCall(lab);
			if (round >= 0) times[name].push(perCall);
		}
	}
	const without = median(times.plain);
	const added = median(times.hooked) - without;
	return {
		what: 'all hooks, added to one tool call of Claude Code',
		value: milliseconds(added),
		against: `no hooks ${milliseconds(without)}`,
		ratio: (without + added) / without,
		goal: '<= 8 ms',
		met: added <= 8,
	};
}

async function timePerCall(lab: DeployedLab): Promise<number> {
	const file = lab.workspace.file('note.txt');
	writeFileSync(file, 'hello\n');
	const from = lab.model.requests.length;
	const { code } = await lab.headless(`[[read:${file}]]`.repeat(CALLS));
	const turns = lab.model.requests.slice(from).filter(request => request.hasTools);
	const [first] = turns;
	const last = turns.at(-1);
	if (code !== 0 || !first || !last || turns.length !== CALLS + 1) {
		throw new Error(`${turns.length} requests instead of ${CALLS + 1}: the figure would be worthless`);
	}
	return (last.at - first.at) / CALLS;
}

/** A directive sent while the agent goes from one short tool call to the next. */
async function midRun(): Promise<Row> {
	await using lab = await deployedLab();
	const session = SessionId.parse(randomUUID());
	const address = await startedTask(lab, session);
	const run = lab.headless('[[sh:true]]'.repeat(90), [
		'--permission-mode',
		'bypassPermissions',
		'--session-id',
		session,
	]);
	await lab.model.waitForRequest(request => request.hasTools, 20_000);
	const times: number[] = [];
	for (let n = 0; n < WAKES; n++) {
		const sent = Date.now();
		await lab.send(address, `Directive number ${n}.`);
		const { at } = await lab.model.waitForRequest(
			request => request.text.includes(`Directive number ${n}.`),
			20_000,
		);
		times.push(at - sent);
		await sleep(50 + 37 * (n % 3));
	}
	await run;
	return {
		what: 'sent while tools run, until in the model’s request',
		value: `p50 ${milliseconds(median(times))}`,
		against: `p90 ${milliseconds(quantile(times, 0.9))}`,
		ratio: quantile(times, 0.9) / median(times),
		goal: 'none set',
	};
}

/** A directive to an idle terminal: from sending it to the model's request that has it. */
async function idleWake(): Promise<Row> {
	await using lab = await deployedLab();
	const session = SessionId.parse(randomUUID());
	const address = await startedTask(lab, session);
	const claude = await lab.interactive(['--session-id', session]);
	await submit(claude, '[[text:Ready for more]]');
	await claude.waitForText(/Ready for more/);
	const times: number[] = [];
	for (let n = 0; n < WAKES; n++) {
		await sleep(2500);
		const sent = Date.now();
		await lab.send(address, `Wake number ${n}. [[text:Awake ${n}]]`);
		const { at } = await lab.model.waitForRequest(request => request.text.includes(`Wake number ${n}.`), 20_000);
		times.push(at - sent);
		await claude.waitForText(new RegExp(`Awake ${n}`));
	}
	const middle = median(times);
	return {
		what: 'an idle agent woken: sent, until in the model’s request',
		value: `p50 ${milliseconds(middle)}`,
		against: `p90 ${milliseconds(quantile(times, 0.9))}`,
		ratio: quantile(times, 0.9) / middle,
		goal: 'p50 <= 1 s',
		met: middle <= 1000,
	};
}
