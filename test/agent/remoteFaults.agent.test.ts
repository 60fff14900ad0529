import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ProcessIdentity } from '../../src/base/liveness.ts';
import { REMOTE_MARK } from '../../src/executors/jobFiles.ts';
import { markedProcesses, RUNNER_MARK } from '../../src/process/marked.ts';
import { signal } from '../../src/process/signal.ts';
import { eventually } from '../support/eventually.ts';
import { leftThere, NOTHING } from '../support/leftThere.ts';
import { long } from '../support/long.ts';
import { oneByOne } from '../support/oneByOne.ts';
import { roundsOr } from '../support/rounds.ts';
import { commandOf } from '../support/servedAgents.ts';
import { slurmLab } from '../support/slurmLab.ts';
import { twoMachines } from '../support/twoMachines.ts';
import { DelegateId } from '../../src/protocol/delegate.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';

/** So long a delegate takes, about, from its submission to its end, in milliseconds. */
const LONGEST_MS = 6000;

let nancy: NancyCommand;
beforeAll(async () => {
	nancy = await NancyCommand.build({ isPackage: true });
});
afterAll(() => nancy[Symbol.asyncDispose]());

type Machines = Awaited<ReturnType<typeof twoMachines>>;

/** What is killed with -9, by its name. */
const VICTIMS: Readonly<Record<string, (machines: Machines, id: string) => Promise<void>>> = {
	'the runner here': async ({ tickets }, id) => {
		const run = (await tickets.facts(DelegateId.parse(id)))?.run;
		if (run) signal(run.runner.pid, 'SIGKILL');
	},
	'a program of the runner’s here': async (_, id) => killOne(await markedProcesses(RUNNER_MARK, id)),
	'a process of the job there': async (_, id) => killOne(await markedProcesses(REMOTE_MARK, id)),
	'all of the job there': async (_, id) => {
		for (const { pid } of await markedProcesses(REMOTE_MARK, id)) signal(pid, 'SIGKILL');
	},
	'the ssh server': async ({ there }) => {
		await there.stop();
		await there.start();
	},
};

/** The processes of its runner here, but for a connection that ssh shares for a minute. */
async function runnersOf(id: string): Promise<ProcessIdentity[]> {
	return (await markedProcesses(RUNNER_MARK, id)).filter(({ pid }) => !commandOf(pid).includes('[mux]'));
}

function oneOf<T>(all: readonly T[]): T | undefined {
	return all[Math.floor(Math.random() * all.length)];
}

function killOne(all: readonly ProcessIdentity[]): void {
	const one = oneOf(all);
	if (one) signal(one.pid, 'SIGKILL');
}

/** One delegate after the other, of each of which one program is killed. */
async function haveOneEnd(machines: Machines, victims: typeof VICTIMS, longestMs: number): Promise<void> {
	const { there, git, call } = machines;
	const names = Object.keys(victims);
	const rounds = roundsOr(names.length + 1);
	let committed = 0;
	for (let round = 0; round < rounds; round++) {
		const who = names[round % names.length] ?? '';
		const afterMs = Math.random() * longestMs;
		const about = `round ${round}: ${who} after ${Math.round(afterMs)} ms`;
		const step = `echo ran >> $HOME/ran-${round}; echo x > made-${round}; git add made-${round}; git -c user.name=A -c user.email=a@b.c commit -qm made && touch $HOME/made-${round}`;
		const id = await machines.delegate(`Round ${round}. [[sh:${step}]] [[sh:sleep 1]] [[text:End of ${round}.]]`);
		await sleep(afterMs);
		await victims[who]?.(machines, id);
		// A person looks again, and so another runner goes on.
		await call(['delegates']);
		const { status, error, output } = await machines.ended(id);
		expect(['done', 'failed'], about).toContain(status);
		if (status === 'done') expect(readFileSync(output, 'utf8'), about).toBe(`End of ${round}.`);
		else expect(error, about).toBeTruthy();
		const ran = join(there.home, `ran-${round}`);
		if (existsSync(ran)) expect(readFileSync(ran, 'utf8'), about).toBe('ran\n');
		if (existsSync(join(there.home, `made-${round}`))) {
			committed++;
			expect(git('log', '--format=%s', `nancy/${id}`, '--', `made-${round}`), about).toBe('made');
		}
		const results = (await call(['inbox', '--json'])).stdout.split(`Task ID: ${id}`).length - 1;
		expect(results, about).toBe(1);
		expect(await leftThere(there, id), about).toEqual(NOTHING);
		await eventually(`no process here, ${about}`, async () => (await runnersOf(id)).length === 0);
	}
	expect(committed).toBeGreaterThan(0);
}

it(
	'a delegate on another machine has one end, whatever is killed at whatever moment, and leaves nothing there',
	long,
	async () => {
		await using machines = await twoMachines(nancy);
		await haveOneEnd(machines, VICTIMS, LONGEST_MS);
	},
);

it(
	'a delegate in the queue of a cluster has one end, whatever is killed at whatever moment, and leaves nothing there',
	long,
	async () => {
		await using slurm = await slurmLab({ nodes: 3 });
		await using machines = await twoMachines(nancy, { on: 'hpc', cluster: slurm.env });
		machines.nameExecutors({ hpc: { type: 'slurm', via: 'ssh:lab' } });
		const victims: typeof VICTIMS = {
			'the controller': async () => {
				process.kill(slurm.controller(), 'SIGKILL');
				await slurm.startController();
			},
			'the daemon of a node': async () => {
				const node = oneOf(slurm.nodes);
				if (node === undefined) return;
				slurm.killNode(node);
				slurm.startNode(node);
			},
			'the job, by a person': async (_, id) => void slurm.call('scancel', `--name=nancy-${id}`),
			...VICTIMS,
		};
		await haveOneEnd(machines, victims, LONGEST_MS * 2);
		await eventually('an empty queue', () => slurm.call('squeue', '--noheader') === '');
	},
);

it(
	'a delegate in a queue that the user names has one end, whatever is killed at whatever moment, and leaves nothing there',
	long,
	async () => {
		await using machines = await twoMachines(nancy, { on: 'site' });
		const { home } = machines.there;
		const { program, commands } = oneByOne(machines.there.bin, home);
		machines.nameExecutors({ site: { type: 'command', via: 'ssh:lab', ...commands } });
		const env = { ...process.env, HOME: home };
		const victims: typeof VICTIMS = {
			'the job, by a person': async (_, id) => void spawnSync(program, ['cancel', `nancy-${id}`], { env }),
			'the queue’s own program': (_, id) => {
				const file = join(home, `queue/nancy-${id}.pid`);
				if (existsSync(file)) signal(Number(readFileSync(file, 'utf8')), 'SIGKILL');
				return Promise.resolve();
			},
			...VICTIMS,
		};
		await haveOneEnd(machines, victims, LONGEST_MS * 2);
		const look = () => execFileSync(program, ['look'], { env, encoding: 'utf8' });
		await eventually('an empty queue', () => !/ (?:queued|running)/.test(look()));
	},
);
