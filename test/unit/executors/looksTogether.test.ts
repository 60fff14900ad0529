import { spawn } from 'node:child_process';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NancyError } from '../../../src/base/errors.ts';
import { lookAtEach, type JobAnswers, type JobLook } from '../../../src/executors/jobLook.ts';
import { LooksTogether } from '../../../src/executors/looksTogether.ts';
import { ShellExecutor } from '../../../src/executors/shellExecutor.ts';
import type { Way } from '../../../src/executors/way.ts';
import { DelegateId } from '../../../src/protocol/delegate.ts';
import { bundledChild } from '../../support/bundledChild.ts';
import { eventually } from '../../support/eventually.ts';
import { folderMachine } from '../../support/folderMachine.ts';
import { killedAt } from '../../support/killedAt.ts';
import { tempFolder, type TempFolder } from '../../support/tempFolder.ts';

const MB = 1024 * 1024;
const EVERY_MS = 500;
/** So many watch a job of one machine each. */
const MANY = 40;

let room: TempFolder;
let socket: string;
let watchers: LooksTogether[];
beforeEach(() => {
	room = tempFolder();
	socket = room.file('looks');
	watchers = [];
});
afterEach(async () => {
	for (const each of watchers) each.close();
	vi.unstubAllEnvs();
	await room.remove();
});

const idOf = (index: number) => DelegateId.parse(`20261129t101538501z-${String(index).padStart(8, '0')}`);
const lookAt = (index: number): JobLook => ({ id: idOf(index), offset: index, carried: [] });
const answered = (jobs: readonly JobLook[]): JobAnswers => ({
	answers: jobs.map(({ id }, at) => ({ at, answer: { id } })),
});

/** A machine whose calls are counted: the jobs of each. */
function machine(answer: (jobs: readonly JobLook[]) => JobAnswers | Promise<JobAnswers> = answered) {
	const calls: (readonly JobLook[])[] = [];
	const lookAtAll = async (jobs: readonly JobLook[]) => {
		calls.push(jobs);
		return answer(jobs);
	};
	return { calls, lookAtAll };
}

function watcher(lookAtAll: (jobs: readonly JobLook[]) => Promise<JobAnswers>, hungMs?: number): LooksTogether {
	const looks = new LooksTogether(() => socket, EVERY_MS, lookAtAll, hungMs);
	watchers.push(looks);
	return looks;
}

/** Those who ask at once, each about its own job, and what each was answered. */
const askAll = (all: readonly LooksTogether[]) => Promise.all(all.map((looks, index) => looks.look(lookAt(index))));

describe('all who watch jobs of a machine', () => {
	it('are answered by one call, and told to meet again at one moment', async () => {
		const { calls, lookAtAll } = machine();
		const all = Array.from({ length: MANY }, () => watcher(lookAtAll));
		// Who asks late on a busy machine is in the next call.
		await eventually('all are in one call', async () => {
			const before = calls.length;
			expect(await askAll(all)).toEqual(all.map((_, index) => ({ id: idOf(index) })));
			return calls.length === before + 1 && calls.at(-1)?.length === MANY;
		});
		const pauses = new Set(all.map(({ pauseMs }) => pauseMs));
		expect(pauses.size).toBe(1);
		expect(Math.min(...pauses)).toBeGreaterThan(EVERY_MS);
	});

	it('each get the failure of their own call, where all fail', async () => {
		const { lookAtAll } = machine(() => Promise.reject(new NancyError('timeout', 'lab cannot be reached')));
		const all = [watcher(lookAtAll), watcher(lookAtAll)];
		const ends = await Promise.allSettled(all.map((looks, index) => looks.look(lookAt(index))));
		for (const end of ends)
			expect(end).toMatchObject({
				reason: { code: 'timeout', message: 'lab cannot be reached' },
			});
	});

	it('get their answers in as many calls as these need, each once', async () => {
		const { calls, lookAtAll } = machine(jobs =>
			lookAtEach(jobs, async ({ id }) => ({ id, log: 'x'.repeat(3 * MB) })),
		);
		const all = Array.from({ length: 6 }, () => watcher(lookAtAll));
		// Two fit into one answer. Who asks late on a busy machine is in the next call.
		await eventually('some are in one call', async () => {
			const before = calls.length;
			const answers = await askAll(all);
			expect(answers.map(answer => (answer as { id: string }).id)).toEqual(all.map((_, index) => idOf(index)));
			const asked = calls.slice(before);
			expect(new Set(asked.flat().map(({ id }) => id)).size).toBe(6);
			return asked.length < all.length;
		});
	});

	it('go on where whoever leads has ended', async () => {
		const { lookAtAll } = machine();
		const all = [watcher(lookAtAll), watcher(lookAtAll), watcher(lookAtAll)];
		await askAll(all);
		for (let leaving = 0; leaving < 2; leaving++) {
			all.shift()?.close();
			expect(await askAll(all)).toHaveLength(2 - leaving);
		}
	});

	it('do not meet those with other programs there, or of another data folder', async () => {
		vi.stubEnv('XDG_RUNTIME_DIR', room.path);
		const job = folderMachine('').job;
		const seen = { is: 'running', log: '', nextOffset: 0, receipts: [], takenBack: [] };
		const asked: string[] = [];
		const executors = ['1-a', '1-b', '1-a'].map((version, index) => {
			const way: Way = {
				place: 'lab',
				ask: async () => ({ node: '', isThere: true }),
				step: async () => {
					asked.push(`${version} by ${index}`);
					return { answers: [{ at: 0, answer: seen }] };
				},
				gitCommand: () => '',
			};
			return new ShellExecutor(way, { folder: join(room.path, version), version });
		});
		for (const each of executors) await each.observe(job, 0, []);
		expect(asked).toEqual(['1-a by 0', '1-b by 1', '1-a by 0']);
		for (const each of executors) each.close();
	});

	it('ship once what they call there, however many steps begin at once', async () => {
		vi.stubEnv('XDG_RUNTIME_DIR', room.path);
		const { job } = folderMachine('');
		let shipped = 0;
		const way: Way = {
			place: 'lab',
			ask: async () => {
				shipped++;
				return { node: '', isThere: true };
			},
			step: async () => ({}),
			gitCommand: () => '',
		};
		const executor = new ShellExecutor(way, { folder: room.path, version: '1-a' });
		await Promise.all([executor.cancel(job), executor.carry(job, []), executor.submit(job)]);
		expect(shipped).toBe(1);
	});

	it('each look by themselves where no place is safe for them to meet', async () => {
		const { calls, lookAtAll } = machine();
		const alone = () => new LooksTogether(() => undefined, EVERY_MS, lookAtAll);
		await askAll([alone(), alone()]);
		expect(calls).toHaveLength(2);
	});
});

it('one who is alone waits for nobody, and pauses as long as ever', async () => {
	const { calls, lookAtAll } = machine();
	const looks = watcher(lookAtAll);
	expect(await looks.look(lookAt(1))).toEqual({ id: idOf(1) });
	expect(calls).toEqual([[lookAt(1)]]);
	expect(looks.pauseMs).toBe(EVERY_MS);
});

it('one that leads is killed while it calls, and all who wait for it get their answers', async () => {
	const { calls, lookAtAll } = machine();
	const leader = await leads();
	const all = Array.from({ length: 10 }, () => watcher(lookAtAll));
	const asking = askAll(all);
	// The first round is under way, and these wait for the next.
	await new Promise(resolve => setTimeout(resolve, 200));
	expect(calls).toEqual([]);
	leader.kill('SIGKILL');
	expect(await asking).toHaveLength(10);
	expect(calls.length).toBeLessThan(all.length);
});

/** A process that leads and calls its machine, which does not answer. */
async function leads() {
	const start = `import(${JSON.stringify(bundledChild('leadLooks'))}).then(({ run }) => run(${JSON.stringify(socket)}, '${idOf(99)}', 'never'))`;
	const leader = spawn(process.execPath, ['-e', start], { stdio: ['ignore', 'pipe', 'inherit'] });
	let said = '';
	leader.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
	await eventually('it leads', () => said.includes('asks'));
	return leader;
}

it('one that leads and is stopped is replaced, and goes on beside the next one', async () => {
	const { lookAtAll } = machine();
	const leader = await leads();
	leader.kill('SIGSTOP');
	const all = [watcher(lookAtAll, 200), watcher(lookAtAll, 200)];
	expect(await askAll(all)).toHaveLength(2);
	leader.kill('SIGCONT');
	expect(await askAll(all)).toHaveLength(2);
	leader.kill('SIGKILL');
});

it('one that leads and cannot call the machine keeps it from nobody, and leads no more', async () => {
	const noKey = () => Promise.reject(new NancyError('timeout', 'no key'));
	let isKeyLost = false;
	const broken = watcher(async jobs => (isKeyLost ? noKey() : answered(jobs)));
	await broken.look(lookAt(0));
	const { lookAtAll } = machine();
	const others = [watcher(lookAtAll), watcher(lookAtAll)];
	isKeyLost = true;
	const failing = expect(broken.look(lookAt(9))).rejects.toThrow('no key');
	expect(await askAll(others)).toHaveLength(2);
	await failing;
	await askAll(others);
	expect(await broken.look(lookAt(9))).toEqual({ id: idOf(9) });
});

it('one that is about to lead is killed before any of its file calls, and the next one leads', async () => {
	const { lookAtAll } = machine();
	let how: string | undefined;
	let call = 0;
	for (; how !== 'finished'; call++) {
		how = await killedAt(call, 'leadLooks', [socket, idOf(99)]);
		expect(['SIGKILL', 'finished']).toContain(how);
		const next = watcher(lookAtAll);
		expect(await next.look(lookAt(call))).toEqual({ id: idOf(call) });
		next.close();
	}
	expect(call).toBeGreaterThan(4);
});

it.each([
	['says nothing', ''],
	['says what makes no sense', '{"answer":1}\n'],
])('what listens there and %s is replaced', async (_, says) => {
	const server = createServer(connection => {
		connection.on('error', () => undefined);
		if (says !== '') connection.end(says);
	});
	await new Promise<void>(resolve => void server.listen(socket, resolve));
	const { lookAtAll } = machine();
	const all = [watcher(lookAtAll, 200), watcher(lookAtAll, 200)];
	expect(await askAll(all)).toHaveLength(2);
	server.close();
});

it('one that is alone spends its pause there, and several do not', async () => {
	const waits: number[] = [];
	const lookAtAll = (jobs: readonly JobLook[], waitMs: number) => {
		waits.push(waitMs);
		return Promise.resolve(answered(jobs));
	};
	const all = [1, 2].map(() => new LooksTogether(() => socket, EVERY_MS, lookAtAll, undefined, EVERY_MS));
	watchers.push(...all);
	await all[0]?.look(lookAt(0));
	expect([waits.splice(0), all[0]?.pauseMs]).toEqual([[EVERY_MS], 0]);
	await askAll(all);
	expect(waits.at(-1)).toBe(0);
	expect(all[1]?.pauseMs).toBeGreaterThan(0);
});

it('the connection to one that leads is kept, and is none any more once that one’s call has failed', async () => {
	let fails = false;
	const leads = machine(jobs => (fails ? Promise.reject(new NancyError('io', 'no key')) : answered(jobs)));
	const other = machine();
	const [leader, follower] = [watcher(leads.lookAtAll), watcher(other.lookAtAll)];
	await leader.look(lookAt(0));
	for (let round = 0; round < 3; round++) await askAll([leader, follower]);
	expect(other.calls).toHaveLength(0);
	fails = true;
	await Promise.allSettled([leader.look(lookAt(0)), follower.look(lookAt(1))]);
	expect(await follower.look(lookAt(1))).toEqual({ id: idOf(1) });
	expect(other.calls.length).toBeGreaterThan(0);
});

it('whoever is to stop waits for no other process, and leaves it its place', async () => {
	const connections: Socket[] = [];
	const server = createServer(connection => {
		connection.on('error', () => undefined).once('data', () => connections.push(connection));
	});
	await new Promise<void>(resolve => void server.listen(socket, resolve));
	const { lookAtAll } = machine();
	const looks = watcher(lookAtAll);
	const stop = new AbortController();
	const looking = looks.look(lookAt(1), stop.signal);
	await eventually('it has asked', () => connections.length === 1);
	stop.abort();
	expect(await looking).toEqual({ id: idOf(1) });
	const next = looks.look(lookAt(1));
	await eventually('it asks the same', () => connections.length === 2);
	for (const each of connections) each.destroy();
	server.close();
	await next;
});

it('a job that fails or hangs there keeps no other one waiting', async () => {
	const jobs = Array.from({ length: 20 }, (_, index) => lookAt(index));
	const { answers } = await lookAtEach(
		jobs,
		async ({ id, offset }) => {
			if (offset === 3) throw new Error('job.json is no JSON');
			if (offset === 5) await new Promise(() => undefined);
			return { id };
		},
		50,
	);
	expect(answers).toHaveLength(20);
	expect(answers[3]).toEqual({ at: 3, answer: { error: 'job.json is no JSON' } });
	expect(answers[5]).toEqual({ at: 5, answer: { error: 'no answer of this job in 0.05 s' } });
	expect(answers[19]).toEqual({ at: 19, answer: { id: idOf(19) } });
});

it('an answer that is longer than all may be together is an error of its own job', async () => {
	const jobs = [lookAt(0), lookAt(1)];
	const { answers } = await lookAtEach(jobs, async ({ offset }) => ({ log: 'x'.repeat(offset === 0 ? 9 * MB : 1) }));
	expect(answers).toEqual([
		{ at: 0, answer: { error: 'the files of this job are too long' } },
		{ at: 1, answer: { log: 'x' } },
	]);
});
