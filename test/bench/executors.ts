import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { mapConcurrently } from '../../src/base/concurrent.ts';
import { Ssh } from '../../src/executors/ssh.ts';
import { eventually } from '../support/eventually.ts';
import { manyHosts } from '../support/manyHosts.ts';
import { watchedOr } from '../support/rounds.ts';
import { NancyCommand } from '../unit/cli/nancyCommand.ts';
import { percent, processorMs, withChildrenMs } from './processMeters.ts';
import { median, milliseconds, type Row } from './table.ts';

const WATCHED = watchedOr(50);
const WATCH_MS = 30_000;
const ROUNDS = 3;
const LOOKS = 30;
/** Of a task that is timed, in seconds. */
const TASK_SECONDS = 5;

type Hosts = Awaited<ReturnType<typeof manyHosts>>;

/** What delegates on another machine cost this one while they work, and how long they take. */
export async function benchExecutors(): Promise<Row[]> {
	await using nancy = await NancyCommand.build({ isPackage: true });
	await using hosts = await manyHosts(nancy, 1);
	return [await overLocal(hosts), ...(await watching(hosts))];
}

async function overLocal(hosts: Hosts): Promise<Row> {
	const times = { here: [] as number[], there: [] as number[] };
	// The first one ships Nancy and the repository.
	for (let round = -1; round < ROUNDS; round++) {
		const here = await timed(hosts, undefined);
		const there = await timed(hosts, 'host1');
		if (round < 0) continue;
		times.here.push(here);
		times.there.push(there);
	}
	const ratio = median(times.there) / median(times.here);
	return {
		what: `a delegate of ${TASK_SECONDS} s on another machine, from asking to its result`,
		value: milliseconds(median(times.there)),
		against: `here, in a worktree ${milliseconds(median(times.here))}`,
		ratio,
		goal: '<= 1.15x',
		met: ratio <= 1.15,
	};
}

async function timed({ delegate, call }: Hosts, on: string | undefined): Promise<number> {
	const begun = performance.now();
	const id = await delegate(on, TASK_SECONDS);
	await call(['delegates', id, '--wait', '--timeout', '600']);
	return performance.now() - begun;
}

async function watching(hosts: Hosts): Promise<Row[]> {
	const ids = [...(await hosts.delegates(WATCHED, 900)).keys()];
	try {
		await eventually('all at work', async () => (await atWork(hosts)) === WATCHED, {
			timeoutMs: 600_000,
			everyMs: 2000,
		});
		await sleep(15_000);
		const runners = ids.map(id => runnerOf(hosts, id));
		const before = usedMs(hosts, runners);
		await sleep(WATCH_MS);
		const used = usedMs(hosts, runners) - before;
		const share = used / WATCH_MS;
		return [
			await oneLook(hosts, ids),
			{
				what: `processor time here while ${WATCHED} delegates sleep on another machine`,
				value: percent(used, WATCH_MS),
				against: `a core; each delegate ${percent(used / WATCHED, WATCH_MS)}`,
				goal: '<= 2 % of a core',
				met: share <= 0.02,
			},
		];
	} finally {
		await mapConcurrently(ids, id => hosts.call(['delegates', id, '--stop']), 4);
		await hosts.call(['delegates', '--wait', '--timeout', '600']);
	}
}

/** As the runner that leads calls the machine. */
async function oneLook({ hosts, env }: Hosts, ids: readonly string[]): Promise<Row> {
	Object.assign(process.env, { PATH: env.PATH, XDG_RUNTIME_DIR: env.XDG_RUNTIME_DIR });
	const ssh = new Ssh('host1');
	const [version] = readdirSync(`${hosts[0]?.home}/.nancy-remote/nancy/runtime`);
	const look = (some: readonly string[]) =>
		ssh.step(version ?? '', 'look', { jobs: some.map(id => ({ id, offset: 0, carried: [] })) }, 60_000);
	const ways = {
		all: () => look(ids),
		none: () => look([]),
		bare: () => ssh.ask(['echo', 'NANCY true'], '', 60_000),
	};
	const times = { all: [] as number[], none: [] as number[], bare: [] as number[] };
	for (let round = 0; round < LOOKS; round++) {
		for (const way of ['all', 'none', 'bare'] as const) {
			const begun = performance.now();
			await ways[way]();
			times[way].push(performance.now() - begun);
		}
	}
	const [all, none] = [median(times.all), median(times.none)];
	return {
		what: `a look at ${ids.length} delegates of a machine, beyond the call`,
		value: milliseconds(all - none),
		against: `a call that looks at none ${milliseconds(none)}, ssh alone ${milliseconds(median(times.bare))}`,
		goal: '<= 10 ms',
		met: all - none <= 10,
	};
}

async function atWork({ hosts }: Hosts): Promise<number> {
	const ran = hosts.map(({ home }) => `${home}/ran`);
	return ran.flatMap(folder => readdirSync(folder)).length - (ROUNDS + 1);
}

const Status = z.looseObject({ runner: z.object({ pid: z.int() }) });

function runnerOf({ project }: Hosts, id: string): number {
	return Status.parse(JSON.parse(readFileSync(`${project}/.nancy/delegates/${id}.status`, 'utf8'))).runner.pid;
}

/** Of the runners, the programs that they have called, and the connections that they share. */
function usedMs({ socketFolder }: Hosts, runners: readonly number[]): number {
	const shared = readdirSync('/proc').filter(
		pid => /^\d+$/.test(pid) && commandOf(pid).startsWith(`ssh: ${socketFolder}/`),
	);
	return [...runners.map(withChildrenMs), ...shared.map(pid => processorMs(Number(pid)))].reduce(
		(sum, ms) => sum + ms,
		0,
	);
}

function commandOf(pid: string): string {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
	} catch {
		return ''; // it has just ended
	}
}
