import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LEAN } from '../../src/core/deployment/runtimePrograms.ts';
import { isFinal } from '../../src/core/delegates/delegate.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { claudeExecutable } from '../support/claudeHome.ts';
import { deployedLab, type DeployedLab } from '../support/deployedLab.ts';
import { eventually } from '../support/eventually.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { megabytes, memoryOf, type Memory } from './processMeters.ts';
import { median, milliseconds, type Row } from './table.ts';

const ROUNDS = 5;
const PARALLEL = 20;
/** A short task: eight calls of a model that takes half a second for each. */
const TASK = `((lat:500))${'[[sh:true]]'.repeat(7)}[[text:Done]]`;

/** What a delegate costs beyond the agent itself, and twenty of them at once. */
export async function benchDelegates(): Promise<Row[]> {
	await using nancy = await NancyCommand.build({ isPackage: true });
	await using lab = await deployedLab();
	return [...(await overhead(nancy, lab)), await parallel(nancy, lab)];
}

function shell(lab: DeployedLab, cap: number) {
	const PATH = [dirname(claudeExecutable), dirname(process.execPath), lab.env['PATH']].join(delimiter);
	return { cwd: lab.workspace.path, env: { ...lab.env, PATH, IS_SANDBOX: '1', NANCY_DELEGATES: String(cap) } };
}

async function overhead(nancy: NancyCommand, lab: DeployedLab): Promise<Row[]> {
	const where = shell(lab, 1);
	const times = { bare: [] as number[], headless: [] as number[], managed: [] as number[] };
	const memory: Memory[] = [];
	const delegates = new Delegates(lab.nancy);
	for (let round = -1; round < ROUNDS; round++) {
		const bare = await timed(() => lab.headless(TASK));
		const args = ['run', '--headless', '--prompt', TASK, '--permissions', 'bypassPermissions'];
		const headless = await timed(() => nancy.start(args, where));
		const managed = await timed(async () => {
			const started = await nancy.start(['delegate', TASK, '--permissions', 'bypassPermissions'], where);
			const id = started.stdout.trim();
			await eventually(
				id,
				async () => {
					const { delegates: all } = await delegates.list();
					const own = all.find(({ record }) => record.id === id);
					const pid = own?.status.runner?.pid;
					const taken = pid !== undefined && own?.status.agent_process ? memoryOf(pid) : undefined;
					if (taken) memory.push(taken);
					return own && isFinal(own.state) && own.status.reported;
				},
				{ timeoutMs: 60_000, everyMs: 20 },
			);
		});
		if (round < 0) continue;
		times.bare.push(bare);
		times.headless.push(headless);
		times.managed.push(managed);
	}
	const bare = median(times.bare);
	const row = (what: string, values: readonly number[]): Row => ({
		what,
		value: milliseconds(median(values)),
		against: `bare agent ${milliseconds(bare)}`,
		ratio: median(values) / bare,
		goal: '<= 1.1x',
		met: median(values) / bare <= 1.1,
	});
	return [
		row('nancy run --headless, a task of 4 s', times.headless),
		row('nancy delegate, from asking to its result', times.managed),
		...(await memoryRows(memory)),
	];
}

/** A runner's memory while its agent works, against a bare Node with the same flags that waits for a child. */
async function memoryRows(runners: readonly Memory[]): Promise<Row[]> {
	const bare = await bareNode();
	const most = (part: keyof Memory) => Math.max(...runners.map(memory => memory[part]));
	const row = (what: string, part: keyof Memory): Row => ({
		what,
		value: megabytes(most(part)),
		against: `a bare Node that waits for a child ${megabytes(bare[part])}`,
		ratio: most(part) / bare[part],
		goal: '',
	});
	const resident = row('memory of a runner: resident', 'resident');
	return [
		{ ...resident, goal: '<= 45 MB', met: most('resident') <= 45 * 1024 * 1024 },
		row('memory of a runner: its own, shared with no process', 'own'),
	];
}

async function bareNode(): Promise<Memory> {
	const script =
		"require('node:child_process').spawn('cat', { stdio: ['pipe', 'pipe', 'pipe'] }); process.stdin.resume()";
	const child = spawn(process.execPath, [...LEAN, '-e', script]);
	try {
		await sleep(2000);
		return memoryOf(child.pid ?? 0) ?? { resident: Number.NaN, own: Number.NaN, proportional: Number.NaN };
	} finally {
		child.kill();
	}
}

async function parallel(nancy: NancyCommand, lab: DeployedLab): Promise<Row> {
	const where = shell(lab, PARALLEL);
	const delegates = new Delegates(lab.nancy);
	const before = (await delegates.list()).delegates.length;
	let most = 0;
	const wall = await timed(async () => {
		await Promise.all(
			Array.from({ length: PARALLEL }, () =>
				nancy.start(['delegate', TASK, '--permissions', 'bypassPermissions'], where),
			),
		);
		for (;;) {
			const now = (await delegates.list()).delegates.slice(before);
			most = Math.max(most, now.filter(({ state }) => state === 'running').length);
			if (now.length === PARALLEL && now.every(({ state, status }) => isFinal(state) && status.reported)) return;
			await sleep(100);
		}
	});
	const done = (await delegates.list()).delegates.slice(before).filter(({ state }) => state === 'done').length;
	return {
		what: `${PARALLEL} delegates at once`,
		value: milliseconds(wall),
		against: `${done} done, ${most} at most at a time`,
		goal: `all ${PARALLEL} done`,
		met: done === PARALLEL,
	};
}

async function timed(work: () => Promise<unknown>): Promise<number> {
	const begun = performance.now();
	await work();
	return performance.now() - begun;
}
