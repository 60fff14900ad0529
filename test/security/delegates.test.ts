import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify, liveness } from '../../src/base/liveness.ts';
import { sha256 } from '../../src/base/sha256.ts';
import { isFinal, type Delegate } from '../../src/core/delegates/delegate.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { queueDelegate } from '../../src/core/delegates/queueDelegate.ts';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { sealCall } from '../../src/core/sessions/sealedAgents.ts';
import { chosenMode, noteChosenAgent } from '../../src/core/workspace/chosenAgent.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { lookAtQueue, stopDelegate } from '../../src/delegates/delegateQueue.ts';
import { endedWorktree } from '../../src/git/ownWorktree.ts';
import { stopWorker } from '../../src/delegates/stopWorker.ts';
import { DelegateStatus } from '../../src/protocol/delegate.ts';
import { FIRST_WORKER, ORCHESTRATOR, TaskName, WorkerName } from '../../src/protocol/names.ts';
import { eventually } from '../support/eventually.ts';
import { fakeDriver } from '../support/fakeDriver.ts';
import { fakeNancy, sayRunners } from '../support/fakeNancy.ts';
import { gitRepository, type GitRepository } from '../support/gitRepository.ts';
import { BY_USER, messageContent } from '../support/messageContent.ts';
import { taskRecord } from '../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../support/tempFolder.ts';

type Named = [what: string, program: 'sleep' | 'agent', options: (env: NodeJS.ProcessEnv) => SpawnOptions];

let folder: TempFolder;
let repository: GitRepository;
let delegates: Delegates;
let tickets: Tickets;
let nancy: string;

beforeEach(() => {
	folder = tempFolder();
	repository = gitRepository();
	repository.commit({ 'set-up.sh': 'true\n' });
	delegates = new Delegates(new Workspace(repository.root));
	tickets = new Tickets(folder.file('data'), repository.root);
	nancy = fakeNancy(folder);
});
afterEach(async ({ task }) => {
	sayRunners(folder, task);
	for (const { record } of (await delegates.list()).delegates)
		await stopDelegate(delegates, tickets, record.id).catch(() => undefined);
	await repository.remove();
	await folder.remove();
});

const look = () => lookAtQueue(delegates, { tickets, nancy, cap: 4 });
/** The set-up command of the user's settings runs a file of the repository. */
const queue = (prompt = 'answer:done') =>
	queueDelegate(delegates, tickets, IN_TERMINAL, {
		prompt,
		agent: fakeDriver.id,
		permissions: 'all',
		folder: repository.root,
		worktree: { withChanges: true },
		setUp: `echo set up >>'${folder.file('ran')}'; sh set-up.sh`,
	});
const runs = () => (existsSync(folder.file('ran')) ? readFileSync(folder.file('ran'), 'utf8') : '');

async function ended({ record }: Delegate): Promise<Delegate> {
	return eventually('its end', async () => {
		const now = await delegates.get(record.id);
		return isFinal(now.state) && now.status.reported && now;
	});
}

async function results({ record }: Delegate): Promise<string[]> {
	const { messages } = await delegates.workspace.mailbox({ task: record.task, worker: ORCHESTRATOR }).list();
	return messages.map(({ content }) => content.text);
}

/** What an agent that may only edit does to the files of a delegate that has ended. */
async function forgeQueued({ record, files }: Delegate): Promise<void> {
	rmSync(files.done);
	rmSync(files.status);
	await delegates.writeStatus(record.id, DelegateStatus.parse({ task_id: record.id, status: 'queued' }));
}

describe('a delegate that has ended', () => {
	it.each(['look', 'command'])('is not run again when its files say that it waits, by a %s', async by => {
		const done = await queue();
		await look();
		await ended(done);
		expect(runs()).toBe('set up\n');
		repository.write({ 'set-up.sh': `echo changed >>'${folder.file('ran')}'\n` });
		await forgeQueued(done);
		await delegates.workspace.send(done.record, messageContent('Do something else.'), BY_USER);
		if (by === 'look') await look();
		else execFileSync(nancy, ['-C', repository.root, 'run', '--delegate', done.record.id]);
		await look();
		expect(await ended(done)).toMatchObject({ state: 'done' });
		expect(runs()).toBe('set up\n');
		expect(await results(done)).toHaveLength(1);
	});

	it('is not run again by a ticket of an earlier version, which was the hash alone', async () => {
		const done = await queue();
		const { id } = done.record;
		await look();
		await ended(done);
		// Its files say so first. Until then its runner has something to do.
		await eventually('its sealed end', async () => (await tickets.facts(id))?.end?.isReported);
		await tickets.remove(id);
		issueAsBefore(done);
		await look();
		await forgeQueued(done);
		await look();
		expect(runs()).toBe('set up\n');
		expect(await ended(done)).toMatchObject({ state: 'done' });
	});
});

describe('a delegate that waits', () => {
	it('runs once by a ticket of an earlier version', async () => {
		const queued = await queue();
		await tickets.remove(queued.record.id);
		issueAsBefore(queued);
		await look();
		await ended(queued);
		await forgeQueued(queued);
		await look();
		expect(runs()).toBe('set up\n');
	});

	it('is run, whatever end its files tell of, and nobody is told of that', async () => {
		const queued = await queue();
		writeFileSync(queued.files.output, 'Forged.');
		writeFileSync(queued.files.done, 'success\n');
		await delegates.writeStatus(queued.record.id, { ...queued.status, status: 'done', reported: true });
		await look();
		await eventually('its end', async () => (await tickets.facts(queued.record.id))?.end?.isReported);
		const told = await results(queued);
		expect(told).toEqual([expect.stringContaining('done')]);
		expect(told.join()).not.toContain('Forged');
	});
});

it('a delegate gets no permissions that a person chose for an earlier worker of the same name', async () => {
	const { workspace } = delegates;
	const { task, worker } = (await queue()).record;
	await noteChosenAgent(workspace, { task, worker }, fakeDriver.id, 'acceptEdits');
	rmSync(workspace.paths.workerRecord(task, worker));
	expect((await queue()).record).toMatchObject({ task, worker });
	expect(await chosenMode(workspace, { task, worker }, fakeDriver.id)).toBeUndefined();
});

it('no list of parked agents in a file of .nancy holds a delegate back', async () => {
	const queued = await queue();
	const until = new Date(Date.now() + 3_600_000).toISOString();
	const parked = { version: 1, agent: fakeDriver.id, until, reason: 'limit' };
	writeFileSync(join(delegates.folder, 'parked.json'), JSON.stringify([parked]));
	await look();
	expect(await ended(queued)).toMatchObject({ state: 'done' });
});

describe('a delegate that runs', () => {
	it('is neither ended nor reported by what its files say', async () => {
		const gate = folder.file('gate');
		const queued = await queue(`tool:Read until:${gate} answer:done`);
		await look();
		await eventually('its work', async () => (await delegates.get(queued.record.id)).status.tool_calls > 0);
		writeFileSync(queued.files.output, 'Forged.');
		writeFileSync(queued.files.done, 'success\n');
		await look();
		expect(await results(queued)).toEqual([]);
		const { status } = await delegates.get(queued.record.id);
		const runner = { pid: 999_999_999, startedTicks: 1 };
		await delegates.writeStatus(queued.record.id, { ...status, status: 'running', runner });
		await look();
		writeFileSync(gate, '');
		await eventually('its end', async () => (await tickets.facts(queued.record.id))?.end?.isReported);
		const told = await results(queued);
		expect(told).toHaveLength(1);
		expect(told.join()).not.toMatch(/Forged|runner died/);
	});

	it('keeps its worktree to itself, whatever end its files tell of', async () => {
		const queued = await queue('tool:Read wait:60000');
		await look();
		const { status } = await eventually('its work', async () => {
			const now = await delegates.get(queued.record.id);
			return now.status.tool_calls > 0 && now;
		});
		writeFileSync(queued.files.output, 'Forged.');
		writeFileSync(queued.files.done, 'success\n');
		if (!status.worktree) throw new Error('no worktree');
		await expect(endedWorktree(delegates, tickets, status.worktree)).rejects.toMatchObject({ code: 'busy' });
		await stopDelegate(delegates, tickets, queued.record.id);
		expect(await endedWorktree(delegates, tickets, status.worktree)).toEqual(status.worktree);
	});

	it('was started, and is not started again when its runner is killed', async () => {
		const queued = await queue();
		await tickets.begin(queued.record.id, { pid: 999_999_999, startedTicks: 1 });
		await look();
		expect(await ended(queued)).toMatchObject({ state: 'failed', error: 'runner died' });
		await forgeQueued(queued);
		await look();
		expect(await ended(queued)).toMatchObject({ state: 'failed', error: 'runner died' });
		expect(runs()).toBe('');
	});
});

describe('a process that a file below .nancy names', () => {
	/** Nothing of Nancy's: another program of the user's. */
	async function bystander() {
		const child = spawn('sleep', ['60'], { stdio: 'ignore' });
		await once(child, 'spawn');
		return { identity: identify(child.pid ?? 0), child };
	}

	it('as the runner of a delegate is not ended when that is stopped', async () => {
		const { identity, child } = await bystander();
		const waiting = await queue('wait:60000');
		await delegates.writeStatus(waiting.record.id, { ...waiting.status, status: 'running', runner: identity });
		await stopDelegate(delegates, tickets, waiting.record.id);
		expect(await delegates.get(waiting.record.id)).toMatchObject({ state: 'failed', error: 'cancelled' });
		const brought = await queue('wait:60000');
		await tickets.remove(brought.record.id);
		await delegates.writeStatus(brought.record.id, { ...brought.status, status: 'running', runner: identity });
		await expect(stopDelegate(delegates, tickets, brought.record.id)).rejects.toMatchObject({
			code: 'not-trusted',
			message: expect.stringContaining(`process ${identity.pid}`),
		});
		expect(liveness(identity)).toBe('alive');
		child.kill('SIGKILL');
	});

	describe('as a worker’s', () => {
		const address = { task: TaskName.parse('build'), worker: FIRST_WORKER };
		const stop = () => stopWorker(delegates.workspace, address, { tickets, driverOf: () => fakeDriver });
		/** Starts a program and names it in the worker's record. */
		async function named(program: string, options: SpawnOptions): Promise<ChildProcess> {
			const { workspace } = delegates;
			const child = spawn(program, ['60'], { stdio: 'ignore', ...options });
			await once(child, 'spawn');
			const process = identify(child.pid ?? 0);
			const startedAt = new Date().toISOString();
			const { task, worker: name } = address;
			await workspace.saveWorker({
				version: 1,
				task,
				name,
				agent: fakeDriver.id,
				sessions: [],
				startedAt,
				process,
			});
			return child;
		}
		beforeEach(() => delegates.workspace.createTask(taskRecord(address.task, fakeDriver.id)));

		it.each([
			['is another program', 'sleep', () => ({})],
			['carries another worker’s name', 'sleep', env => ({ env: { ...env, NANCY_WORKER: 'worker-2' } })],
			['is such an agent in another folder', 'agent', () => ({ cwd: folder.path })],
			['is such an agent in this workspace, of a person', 'agent', () => ({ cwd: repository.root })],
		] satisfies Named[])('is not ended where it %s', async (_what, program, options) => {
			const child = await named(programOf(program), options(marks()));
			await expect(stop()).rejects.toMatchObject({
				code: 'not-trusted',
				message: expect.stringContaining(`process ${child.pid} is not ended`),
			});
			expect(child.exitCode ?? child.signalCode).toBeNull();
			child.kill('SIGKILL');
		});

		it('is ended where it carries the worker’s name', async () => {
			await named('sleep', { env: marks() });
			expect(await stop()).toBe('stopped');
		});

		it.each([
			['is the agent whose hooks have called as this worker', 'agent', true],
			['is another program by now', 'sleep', false],
			['is the agent whose hooks have called as another worker', 'agent', false],
		] as const)('is ended by the seal only where it %s', async (what, program, isEnded) => {
			const child = await named(programOf(program), {
				cwd: repository.root,
				// Such an agent was started from the worker's terminal, for a task of its own.
				...(what.endsWith('another worker') && { env: marks() }),
			});
			const worker = what.endsWith('another worker') ? WorkerName.parse('worker-2') : address.worker;
			const { folder, own } = delegates.workspace;
			sealCall(own.dataFolder, identify(child.pid ?? 0), { folder, address: { ...address, worker } });
			if (isEnded) expect(await stop()).toBe('stopped');
			else await expect(stop()).rejects.toMatchObject({ code: 'not-trusted' });
			child.kill('SIGKILL');
		});

		const marks = () => ({
			...process.env,
			NANCY_TASK_DIR: delegates.workspace.paths.task(address.task),
			NANCY_WORKER: address.worker,
		});
		function programOf(name: 'sleep' | 'agent'): string {
			if (name === 'sleep') return name;
			symlinkSync('/bin/sleep', folder.file(fakeDriver.command));
			return folder.file(fakeDriver.command);
		}
	});
});

it('a delegate that is stopped as a worker is cancelled by its runner', async () => {
	const queued = await queue('tool:Read wait:60000');
	await look();
	await eventually('its work', async () => (await delegates.get(queued.record.id)).status.tool_calls > 0);
	const outcome = await stopWorker(
		delegates.workspace,
		{ task: queued.record.task, worker: queued.record.worker },
		{ tickets, driverOf: () => fakeDriver },
	);
	expect(outcome).toBe('stopped');
	expect(await delegates.get(queued.record.id)).toMatchObject({ state: 'failed', error: 'cancelled' });
});

/** As earlier versions did: a file in one folder for all workspaces, with the hash of the request. */
function issueAsBefore({ record }: Delegate): void {
	const files = delegates.filesOfRequest(record.id);
	const digest = sha256(...files.flatMap(file => [`${file}\0`, readFileSync(file), '\0']));
	mkdirSync(join(folder.path, 'data', 'tickets'), { recursive: true });
	writeFileSync(join(folder.path, 'data', 'tickets', record.id), `${digest}\n`);
}
