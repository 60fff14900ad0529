import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { identify, liveness, type ProcessIdentity } from '../../src/base/liveness.ts';
import { IN_TERMINAL, type Asker } from '../../src/core/asker/asker.ts';
import { isRunning } from '../../src/core/workspace/workerLife.ts';
import { queueDelegate } from '../../src/core/delegates/queueDelegate.ts';
import { sealedAgent, sealStart } from '../../src/core/sessions/sealedAgents.ts';
import { bindCaller } from '../../src/core/sessions/sessions.ts';
import type { WorkerAddress } from '../../src/core/workspace/workspace.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import { drivers } from '../../src/drivers/index.ts';
import * as operations from '../../src/operations/index.ts';
import { perform } from '../../src/operations/operation.ts';
import { requireOwnAgent } from '../../src/process/ownAgent.ts';
import { FIRST_WORKER, SessionId, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { DelegateRoom } from '../support/delegateRoom.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { agentAt, contextOf } from '../support/operationContext.ts';
import { taskRecord } from '../support/taskRecord.ts';

const mine = { task: TaskName.parse('mine'), worker: FIRST_WORKER };
const theirs = { task: TaskName.parse('other'), worker: FIRST_WORKER };

let room: DelegateRoom;
let all: ProcessIdentity[];

beforeEach(async () => {
	room = new DelegateRoom();
	all = [];
	for (const { task } of [mine, theirs]) await room.workspace.createTask(taskRecord(task, fakeDriver.id));
});
afterEach(async () => {
	for (const each of all) if (liveness(each) === 'alive') process.kill(each.pid, 'SIGKILL');
	await room.folder.remove();
});

const stop = async (asker: Asker, ...workers: readonly WorkerAddress[]) => {
	const input = { workers: workers.map(({ task, worker }) => ({ task, worker })) };
	return perform(await operations.stop(), asker, input, contextOf(room.folder, room.workspace));
};

/** What an agent that Nancy started carries in its environment. */
const marks = (address: WorkerAddress) => ({
	NANCY_TASK_DIR: room.workspace.paths.task(address.task),
	NANCY_WORKER: address.worker,
});

/** A process that carries the worker's name, as an agent that Nancy started. */
const agentOf = async (address: WorkerAddress) => started('sleep', marks(address));

/** A program that counts as the agent's CLI. */
function programOfAgent(): string {
	const program = room.folder.file(claudeCode.command);
	symlinkSync('/bin/sleep', program);
	return program;
}

async function started(program: string, more: NodeJS.ProcessEnv): Promise<ProcessIdentity> {
	const { NANCY_TASK_DIR: _task, NANCY_WORKER: _worker, ...env } = process.env;
	const cwd = room.workspace.folder;
	const child = spawn(program, ['60'], { cwd, env: { ...env, ...more }, stdio: 'ignore' });
	await once(child, 'spawn');
	const found = identify(child.pid ?? 0);
	all.push(found);
	return found;
}

async function work(address: WorkerAddress, process: ProcessIdentity): Promise<void> {
	const startedAt = new Date(Date.now() - 1000).toISOString();
	const { task, worker: name } = address;
	await room.workspace.saveWorker({
		version: 1,
		task,
		name,
		agent: claudeCode.id,
		sessions: [],
		startedAt,
		process,
	});
}

describe('an agent that calls nancy stop', () => {
	it('does not end another worker, and then none that it named with it', async () => {
		const [own, other] = [await agentOf(mine), await agentOf(theirs)];
		await work(mine, own);
		await work(theirs, other);
		await expect(stop(agentAt(room.folder, mine), mine, theirs)).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining('stop other/worker'),
		});
		expect([liveness(own), liveness(other)]).toEqual(['alive', 'alive']);
		await expect(stop(agentAt(room.folder), mine)).rejects.toMatchObject({ code: 'not-trusted' });
		expect(liveness(own)).toBe('alive');
	});

	it.each(['another worker', 'the user’s delegate', 'a person', 'another worker, by a link'])(
		'does not end the agent of %s that it names as its own',
		async whose => {
			const agent = programOfAgent();
			const delegate = (await room.queue()).record;
			const victim =
				whose === 'a person'
					? await started(agent, {})
					: await started(agent, marks(whose === 'the user’s delegate' ? delegate : theirs));
			await work(mine, victim);
			if (whose.endsWith('link')) {
				const folder = room.workspace.paths.task(theirs.task);
				renameSync(folder, `${folder}-away`);
				symlinkSync('mine', folder);
			}
			for (const asker of [agentAt(room.folder, mine), IN_TERMINAL])
				await expect(stop(asker, mine)).rejects.toMatchObject({ code: 'not-trusted' });
			expect(liveness(victim)).toBe('alive');
		},
	);

	it('does not become the worker of a person’s process by its record', async () => {
		const person = await started(programOfAgent(), {});
		const { workspace } = room;
		const call = (session: string) =>
			bindCaller(workspace, {
				session: SessionId.parse(session),
				driver: claudeCode,
				agent: person,
				isNamed: true,
				launchedFor: { taskFolder: undefined, worker: undefined },
				transcript: undefined,
				begins: true,
				cause: 'startup',
			});
		const { address } = await call('first');
		await work(mine, person);
		expect((await call('second')).address).toEqual(address);
		await expect(stop(IN_TERMINAL, mine)).rejects.toMatchObject({ code: 'not-trusted' });
		const { dataFolder } = workspace.own;
		expect(sealedAgent(dataFolder, person)).toMatchObject({ hasCalled: true });
		expect(await stop(IN_TERMINAL, address)).toMatchObject({ workers: [{ outcome: 'stopped' }] });
		// A later process may get its pid.
		expect(sealedAgent(dataFolder, person)).toBeUndefined();
	});

	it('ends a worker that is sealed as started, also if nothing else tells who it is', async () => {
		const worker = await started('sleep', {});
		await work(mine, worker);
		await expect(stop(IN_TERMINAL, mine)).rejects.toMatchObject({ code: 'not-trusted' });
		sealStart(room.workspace.own.dataFolder, worker, { folder: room.workspace.folder, address: theirs });
		await expect(stop(IN_TERMINAL, mine)).rejects.toMatchObject({ code: 'not-trusted' });
		sealStart(room.workspace.own.dataFolder, worker, { folder: room.workspace.folder, address: mine });
		expect(await stop(IN_TERMINAL, mine)).toMatchObject({ workers: [{ outcome: 'stopped' }] });
	});

	it.each(['another', 'none'])('does not outlive its end by naming %s in its record', async which => {
		const [worker, second] = [await started('sleep', {}), await started('sleep', {})];
		const bystander = await started(programOfAgent(), {});
		const { folder, own } = room.workspace;
		for (const each of [worker, second]) sealStart(own.dataFolder, each, { folder, address: mine });
		if (which === 'another') await work(mine, bystander);
		expect(await stop(IN_TERMINAL, mine)).toMatchObject({ workers: [{ outcome: 'stopped' }] });
		expect([worker, second, bystander].map(each => liveness(each))).toEqual(['dead', 'dead', 'alive']);
	});

	it('ends a worker that is sealed as started where no process can be seen, as on Windows', async () => {
		const worker = await started('sleep', {});
		const { folder, own } = room.workspace;
		vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
		try {
			sealStart(own.dataFolder, identify(worker.pid), { folder, address: mine });
			await requireOwnAgent(worker.pid, room.workspace, mine, claudeCode);
			const others = requireOwnAgent(worker.pid, room.workspace, theirs, claudeCode);
			await expect(others).rejects.toMatchObject({ code: 'not-trusted' });
		} finally {
			vi.restoreAllMocks();
		}
	});

	it('ends itself', async () => {
		const own = await agentOf(mine);
		await work(mine, own);
		expect(await stop(agentAt(room.folder, mine), mine)).toMatchObject({ workers: [{ outcome: 'stopped' }] });
		expect(liveness(own)).toBe('dead');
	});

	it.each(['is there', 'is not named', 'is gone'])(
		'does not end a delegate of the user’s whose record %s in its worker’s',
		async how => {
			const { record } = await room.queue();
			await room.tickets.begin(record.id, await agentOf(mine));
			const file = room.workspace.paths.workerRecord(record.task, record.worker);
			const agent = await agentOf(record);
			const { delegate, ...others } = { ...(await room.workspace.worker(record)) };
			writeFileSync(file, JSON.stringify({ ...others, process: agent, ...(how === 'is there' && { delegate }) }));
			if (how === 'is gone') writeFileSync(room.delegates.filesOfRequest(record.id)[0] ?? '', '{}');
			await expect(stop(agentAt(room.folder, mine), record)).rejects.toMatchObject({ code: 'not-trusted' });
			expect(liveness(agent)).toBe('alive');
		},
	);

	it('ends a delegate that it asked for, by the delegate’s own end', async () => {
		const asker = agentAt(room.folder, mine);
		const { record } = await queueDelegate(room.delegates, room.tickets, asker, {
			prompt: 'Paint it.',
			agent: drivers[0]?.id ?? fakeDriver.id,
			permissions: 'default',
			folder: room.workspace.folder,
			parent: mine,
		});
		expect(await stop(asker, record)).toMatchObject({ workers: [{ outcome: 'stopped' }] });
		expect(await room.delegates.get(record.id)).toMatchObject({ state: 'failed', error: 'cancelled' });
	});
});

it('a delegate is ended by its runner, also where its worker’s record does not name it', async () => {
	const { record } = await room.queue();
	const file = room.workspace.paths.workerRecord(record.task, record.worker);
	writeFileSync(file, readFileSync(file, 'utf8').replace(/,\s*"delegate": "[^"]+"/, ''));
	expect((await room.workspace.worker(record))?.delegate).toBeUndefined();
	expect(await stop(IN_TERMINAL, record)).toMatchObject({ workers: [{ outcome: 'stopped' }] });
	expect(await room.delegates.get(record.id)).toMatchObject({ state: 'failed', error: 'cancelled' });
});

describe('a worker of another machine', () => {
	it('counts as stopped once a person stops it, and nothing is said of a process of this machine', async () => {
		const other = { task: theirs.task, worker: WorkerName.parse('worker-2') };
		const bystander = await agentOf(mine);
		await work(other, { ...bystander, machine: '0.a09b00bb.1zzzzzz' });
		expect(await stop(IN_TERMINAL, other)).toEqual({
			workers: [{ worker: 'other/worker-2', outcome: 'elsewhere' }],
		});
		const record = await room.workspace.worker(other);
		expect(record && isRunning(record)).toBe(false);
		expect(liveness(bystander)).toBe('alive');
	});
});
