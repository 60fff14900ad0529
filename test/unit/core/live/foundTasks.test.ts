import { existsSync } from 'node:fs';
import { appendFile, mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FOUND_TASK_MS } from '../../../../src/core/live/foundTasks.ts';
import { WorkspaceModel } from '../../../../src/core/live/model.ts';
import { readOverview } from '../../../../src/core/live/readOverview.ts';
import { noteFound } from '../../../../src/core/workspace/foundTask.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import type { TaskRecord } from '../../../../src/protocol/records.ts';
import { FIRST_WORKER, ORCHESTRATOR, SessionId, TaskName } from '../../../../src/protocol/names.ts';
import { addBoundWorker } from '../../../support/boundWorker.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { taskRecord } from '../../../support/taskRecord.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const agent = fakeDriver.id;
let folder: TempFolder;
let workspace: Workspace;

beforeEach(() => {
	folder = tempFolder();
	workspace = new Workspace(folder.path);
});
afterEach(() => folder.remove());

/** A task with one session, whose files are as old as that. */
async function addTask(typed: string, daysOld: number, more: Partial<TaskRecord> & { kinds?: string[] } = {}) {
	const { kinds = ['prompt', 'stop', 'session-end'], ...record } = more;
	const name = TaskName.parse(typed);
	const session = SessionId.parse(`s-${typed}`);
	const address = { task: name, worker: FIRST_WORKER };
	const at = new Date(Date.now() - daysOld * DAY_MS);
	const created = taskRecord(name, agent, { origin: 'found', createdAt: at.toISOString(), ...record });
	await workspace.createTask(created);
	if (created.origin === 'found') noteFound(workspace, name, at);
	await addBoundWorker(workspace, address, { agent, session });
	await workspace.updateWorker(address, known => known && { ...known, startedAt: at.toISOString() });
	const { paths } = workspace;
	for (const kind of kinds) {
		const event = { driver: agent, session, kind, event: kind };
		const stored = { version: 1, id: `${typed}-${kind}`, at: at.toISOString(), type: 'event', event, payload: {} };
		await appendFile(paths.trafficFile(session), `${JSON.stringify(stored)}\n`);
	}
	for (const file of [paths.trafficFile(session), paths.session(session), paths.workerRecord(name, FIRST_WORKER)])
		await utimes(file, at, at);
	return { name, session, address };
}

const names = async () => (await workspace.tasks()).tasks.map(task => task.name).toSorted();

describe('a found task', () => {
	it('goes two weeks after its session has ended, with what ties the session to it', async () => {
		const { session } = await addTask('old', 15);
		await addTask('young', 13);
		const overview = await readOverview(workspace, [fakeDriver]);
		expect(await names()).toEqual(['young']);
		expect(overview.tasks.map(task => task.record.name)).toEqual(['young']);
		expect(existsSync(workspace.paths.session(session))).toBe(false);
		// What agents did stays as long as there is room for it.
		expect(existsSync(workspace.paths.trafficFile(session))).toBe(true);
	});

	it('stays while its session has not ended, was heard of, has a message of any state, or holds a file of somebody’s', async () => {
		await addTask('started-by-nancy', 15, { origin: 'nancy' });
		await addTask('idle', 15, { kinds: ['prompt', 'stop'] });
		const heard = await addTask('heard', 15);
		await utimes(workspace.paths.trafficFile(heard.session), new Date(), new Date());
		const written = await addTask('written-to', 15);
		const id = await workspace.send(written.address, messageContent('Read this.'), BY_USER);
		await workspace.mailbox(written.address).withdraw(id);
		const wrote = await addTask('wrote', 15);
		await workspace.send({ task: wrote.name, worker: ORCHESTRATOR }, messageContent('Done.'), BY_USER);
		const noted = await addTask('noted', 15);
		await writeFile(join(workspace.paths.task(noted.name), 'notes.md'), 'Keep this.');
		const unreadable = await addTask('unreadable', 15);
		await writeFile(join(workspace.paths.workers(unreadable.name), 'worker-2.json'), '{');
		const before = await names();
		await readOverview(workspace, [fakeDriver]);
		expect(await names()).toEqual(before);
		expect(before).toHaveLength(7);
	});

	it('stays for whoever only looks', async () => {
		await addTask('old', 15);
		await readOverview(workspace, [fakeDriver], { readOnly: true });
		expect(await names()).toEqual(['old']);
	});

	it('goes while a window is open for long, which shows it', async () => {
		await addTask('found', 1);
		let now = Date.now();
		const model = new WorkspaceModel(workspace, [fakeDriver], { tickMs: 20, now: () => now });
		await model.refresh();
		expect(model.overview().tasks).toHaveLength(1);
		now += FOUND_TASK_MS;
		await eventually('its end', () => model.overview().tasks.length === 0);
		expect(await names()).toEqual([]);
		await model.close();
	});
});

describe('what kills and ended sessions left', () => {
	const old = new Date(Date.now() - FOUND_TASK_MS - DAY_MS);
	async function make(file: string, text = '', at = old): Promise<string> {
		await mkdir(join(file, '..'), { recursive: true });
		await writeFile(file, text);
		await utimes(file, at, at);
		return file;
	}
	/** Its holder is dead. */
	async function lock(folder: string): Promise<string> {
		await mkdir(folder);
		await make(join(folder, '4000000-1-0123456789ab'));
		return folder;
	}

	async function sweptBy(left: readonly string[]): Promise<void> {
		const model = new WorkspaceModel(workspace, [fakeDriver], { tickMs: 20 });
		await model.refresh();
		await eventually('all swept', () => left.every(file => !existsSync(file)));
		await model.close();
	}

	it('goes: half-written files, dead locks, what is known of dead agents', async () => {
		const { name, session } = await addTask('live', 0, { origin: 'nancy', kinds: ['prompt'] });
		const { paths } = workspace;
		const mailbox = paths.mailbox(name, FIRST_WORKER);
		const agentRecord = {
			version: 1,
			process: { pid: 4_000_000, startedTicks: 1 },
			task: name,
			worker: FIRST_WORKER,
		};
		const left = [
			await make(join(mailbox, '.boundary-4000000.tmp')),
			await make(join(paths.phases, '.phase-4000000.tmp')),
			await make(join(mailbox, 'inbox', '.0123456789ab.tmp')),
			await make(join(mailbox, 'delivered', '.0123456789ab.tmp')),
			await make(join(paths.workers(name), '.0123456789ab.tmp')),
			await make(join(paths.root, 'deploy.lock'), 'of an earlier version'),
			await lock(join(paths.root, 'config.json.lock')),
			await lock(join(paths.workers(name), 'worker.json.lock')),
			await make(join(paths.machines, 'zz.00000000.1')),
			await make(join(paths.agents, '4000000.json'), JSON.stringify({ ...agentRecord, session })),
		];
		const kept = [
			await make(join(mailbox, 'inbox', '.fedcba987654.tmp'), '', new Date()),
			await make(join(mailbox, 'inbox', '.mine')),
			await make(join(paths.machines, 'zz.00000000.2'), '', new Date()),
		];
		await sweptBy(left);
		for (const file of kept) expect(existsSync(file)).toBe(true);
	});

	it('goes: marks of sessions that have ended, while the session stays the worker’s', async () => {
		const { paths } = workspace;
		const { address, session } = await addTask('ended', 20, { origin: 'nancy' });
		await workspace.updateWorker(
			address,
			record => record && { ...record, process: { pid: 4_000_000, startedTicks: 1 } },
		);
		const idle = await addTask('idle', 20, { origin: 'nancy', kinds: ['prompt', 'stop'] });
		const left = [
			await make(paths.bell(session)),
			await make(join(paths.phases, session)),
			await make(join(paths.phases, `${session}.held`)),
			await make(join(paths.phases, 'of-nobody')),
			await make(paths.session(SessionId.parse('of-a-removed-task')), 'tasks/removed/comms/worker\nwatched\n'),
		];
		const kept = [
			await make(paths.bell(idle.session)),
			await make(join(paths.phases, idle.session)),
			paths.session(session),
		];
		await sweptBy(left);
		for (const file of kept) expect(existsSync(file)).toBe(true);
	});
});
