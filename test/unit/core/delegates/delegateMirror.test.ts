import { existsSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Attention } from '../../../../src/core/live/attention.ts';
import { DelegateMirror } from '../../../../src/core/delegates/delegateMirror.ts';
import type { Delegate } from '../../../../src/core/delegates/delegate.ts';
import { Delegates } from '../../../../src/core/delegates/delegates.ts';
import { finish } from '../../../../src/core/delegates/ending.ts';
import { Tickets } from '../../../../src/core/delegates/tickets.ts';
import { Questions } from '../../../../src/core/questions/questions.ts';
import { WorkspaceModel, type ModelOptions } from '../../../../src/core/live/model.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import type { ExecutorId } from '../../../../src/protocol/executorId.ts';
import { RemotePhase } from '../../../../src/protocol/remoteJob.ts';
import { Limits, type DelegateId } from '../../../../src/protocol/delegate.ts';
import { DriverId, TaskName, WorkerName } from '../../../../src/protocol/names.ts';
import { countCalls } from '../../../support/countedCalls.ts';
import { eventually, HANG_MS } from '../../../support/eventually.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { questionOf } from '../../../support/questionOf.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { taskRecord } from '../../../support/taskRecord.ts';

class CountedDelegates extends Delegates {
	readonly read: DelegateId[] = [];

	override find(id: DelegateId): Promise<Delegate | undefined> {
		this.read.push(id);
		return super.find(id);
	}
}

let folder: TempFolder;
let store: CountedDelegates;
let nowMs: number;
const models: WorkspaceModel[] = [];
const task = TaskName.parse('fix');
const worker = WorkerName.parse('delegate-1');
const agent = DriverId.parse('fake');

beforeEach(async () => {
	folder = tempFolder();
	nowMs = 1_000_000;
	store = new CountedDelegates(new Workspace(folder.path));
	await store.workspace.createTask(taskRecord(task, agent, { title: 'Fix' }));
});
afterEach(async () => {
	for (const model of models.splice(0)) await model.close();
	await folder.remove();
});

function create(title: string, on?: ExecutorId): Promise<Delegate> {
	return store.create(
		{
			title,
			agent,
			permissions: 'default',
			place: { is: 'folder', folder: folder.path },
			limits: Limits.parse({}),
			task,
			worker,
			...(on !== undefined && { on }),
		},
		title,
	);
}

const mirrorOf = () => new DelegateMirror(store, undefined, () => nowMs);
const seen = (mirror: DelegateMirror) => mirror.all().map(({ record, state }) => `${record.title} ${state}`);

describe('the mirror of the delegates', () => {
	it('says since when another machine is not seen, and no longer once it is seen or has ended', async () => {
		const tickets = new Tickets(folder.file('data'), folder.path);
		const delegate = await create('there', 'ssh:gpu1');
		const { id } = delegate.record;
		await tickets.issue(delegate.record, [], []);
		const note = (unreachableSince: string | undefined) =>
			tickets.writeRemotePhase(id, RemotePhase.parse({ version: 1, phase: 'submitted', unreachableSince }));
		const mirror = new DelegateMirror(store, tickets, () => nowMs);
		const since = () => mirror.find(id)?.unseenSince;
		await mirror.read();
		expect(since()).toBeUndefined();
		await note('2026-11-29T14:02:00Z');
		expect(await mirror.read()).toBe(true);
		expect(since()).toBe('2026-11-29T14:02:00Z');
		await note(undefined);
		expect(await mirror.read()).toBe(true);
		expect(since()).toBeUndefined();
		await note('2026-11-29T14:03:00Z');
		await finish(store, delegate, { ok: false, reason: 'lost', output: '' });
		await mirror.read(true);
		expect([mirror.find(id)?.state, since()]).toEqual(['failed', undefined]);
	});

	it('reads what changed, and nothing else', async () => {
		const mirror = mirrorOf();
		expect(await mirror.read()).toBe(false);
		const first = await create('first');
		const second = await create('second');
		expect(await mirror.read()).toBe(true);
		expect(seen(mirror)).toEqual(['first queued', 'second queued']);
		store.read.length = 0;
		expect(await mirror.read()).toBe(false);
		await store.writeStatus(second.record.id, { ...second.status, status: 'running', tool_calls: 3 });
		expect(await mirror.read()).toBe(true);
		expect(store.read).toEqual([second.record.id]);
		expect(mirror.all()[1]?.status.tool_calls).toBe(3);
		await finish(store, first, { ok: true, output: 'All is well.' });
		expect(await mirror.read()).toBe(true);
		expect(seen(mirror)).toEqual(['first done', 'second running']);
	});

	it('says what a delegate asks, by the desk alone', async () => {
		const mirror = mirrorOf();
		const { record, status } = await create('first');
		const desk = new Questions(store.workspace.own);
		await desk.prepare();
		// Anybody may write this file.
		await store.writeStatus(record.id, { ...status, status: 'running', asks: 1 });
		await mirror.read();
		expect(mirror.all()[0]?.asks).toBeUndefined();
		await desk.ask(questionOf(record.id));
		await store.writeStatus(record.id, { ...status, status: 'running', asks: 1, tool_calls: 1 });
		await mirror.read();
		expect(mirror.all()[0]?.asks).toEqual(['touch made']);
		await store.writeStatus(record.id, { ...status, status: 'running', tool_calls: 1 });
		await mirror.read();
		expect(mirror.all()[0]?.asks).toBeUndefined();
	});

	it('lists the folder again only once a file came, went or was replaced there', async () => {
		const mirror = mirrorOf();
		const first = await create('first');
		utimesSync(store.folder, 1, 1);
		await mirror.read();
		const calls = countCalls('readdir');
		const lists = () => calls.count('readdir', path => path === store.folder);
		await mirror.read();
		expect(lists()).toBe(0);
		await store.writeStatus(first.record.id, { ...first.status, status: 'running' });
		expect(await mirror.read()).toBe(true);
		expect(lists()).toBe(1);
		calls.stop();
	});

	it('misses none that comes in the same moment in which it was listing', async () => {
		const mirror = mirrorOf();
		await create('first');
		// However long that takes.
		const now = new Date(Date.now() + HANG_MS);
		utimesSync(store.folder, now, now);
		await mirror.read();
		// Some disks tell how many entries a folder has.
		for (const name of readdirSync(store.folder)) rmSync(join(store.folder, name));
		await create('second');
		// As on a disk with a coarse clock.
		utimesSync(store.folder, now, now);
		expect(await mirror.read()).toBe(true);
		expect(seen(mirror)).toEqual(['second queued']);
	});

	it('shows what it knew until it has read everything', async () => {
		const mirror = mirrorOf();
		await create('first');
		await mirror.read();
		await create('second');
		const reading = mirror.read();
		const during: string[][] = [];
		while (!during.at(-1)?.includes('second queued')) {
			during.push(seen(mirror));
			await new Promise(setImmediate);
		}
		await reading;
		expect(new Set(during.map(each => each.join()))).toEqual(
			new Set(['first queued', 'first queued,second queued']),
		);
	});

	it('looks at what has ended only now and then, and sees a late result', async () => {
		const mirror = mirrorOf();
		const first = await create('first');
		const failed = await finish(store, first, { ok: false, reason: 'runner died', output: '' });
		await mirror.read();
		expect(seen(mirror)).toEqual(['first failed']);
		expect(mirror.hasUnsettled()).toBe(false);
		await finish(store, failed, { ok: true, output: 'Late, but here.' });
		expect(await mirror.read()).toBe(false);
		nowMs += 5000;
		expect(await mirror.read()).toBe(true);
		expect(seen(mirror)).toEqual(['first done']);
	});

	it('looks at hundreds that have ended a part at a time, and has the same list until one has changed', async () => {
		const mirror = mirrorOf();
		const failed: Delegate[] = [];
		for (let number = 0; number < 60; number++)
			failed.push(await finish(store, await create(`${number}`), { ok: false, reason: 'died', output: '' }));
		await mirror.read(true);
		const before = mirror.all();
		const oldest = before.find(({ record }) => record.title === '0');
		for (const each of failed)
			if (each.record.id !== oldest?.record.id) await finish(store, each, { ok: true, output: 'Late.' });
		const done = () => mirror.all().filter(({ state }) => state === 'done').length;
		nowMs += 5000;
		expect(await mirror.read()).toBe(true);
		expect(mirror.all()).not.toBe(before);
		expect(done()).toBe(49);
		nowMs += 5000;
		expect(await mirror.read()).toBe(true);
		expect(done()).toBe(59);
		const last = mirror.all();
		nowMs += 5000;
		expect(await mirror.read()).toBe(false);
		expect(mirror.all()).toBe(last);
	});

	it('sees a merge of what has ended, at a thorough look at once', async () => {
		const tickets = new Tickets(folder.file('data'), folder.path);
		const mirror = new DelegateMirror(store, tickets, () => nowMs);
		const first = await create('first');
		const { id } = first.record;
		await tickets.issue(first.record, [], []);
		await tickets.made(id, {
			repository: '/p',
			folder: '/p.worktrees/x',
			branch: `nancy/${id}`,
			base: '0'.repeat(40),
		});
		await finish(store, first, { ok: true, output: 'All is well.' });
		await mirror.read();
		const at = '2026-01-01T00:00:00.000Z';
		await tickets.merges(id).add({ how: 'merged', at, head: '0'.repeat(40), commit: '1'.repeat(40) });
		expect(await mirror.read()).toBe(false);
		expect(await mirror.read(true)).toBe(true);
		expect(mirror.all()[0]?.merges).toMatchObject([{ at }]);
		await tickets.merges(id).dropLast();
		expect(await mirror.read(true)).toBe(true);
		expect(mirror.all()[0]).not.toHaveProperty('merges');
	});

	it('says that a person has stopped one only by the seal', async () => {
		const tickets = new Tickets(folder.file('data'), folder.path);
		const mirror = new DelegateMirror(store, tickets, () => nowMs);
		for (const title of ['by an agent', 'by a person', 'too late']) {
			const each = await create(title);
			await tickets.issue(each.record, [], []);
			if (title !== 'by an agent') await tickets.stops.byHuman(each.record.id);
			const outcome =
				title === 'too late'
					? ({ ok: true, output: 'Done.' } as const)
					: ({ ok: false, reason: 'cancelled', output: '' } as const);
			await finish(store, each, outcome);
		}
		await mirror.read();
		expect(mirror.all().map(({ isStoppedByUser }) => isStoppedByUser)).toEqual([undefined, true, undefined]);
	});

	it('names a record that cannot be read, and takes it once it can', async () => {
		const mirror = mirrorOf();
		const { record } = await create('first');
		const file = join(store.folder, `${record.id}.json`);
		await writeFile(file, '{"version":1,');
		await mirror.read();
		expect(mirror.all()).toEqual([]);
		expect(mirror.problems()).toEqual([{ file, reason: expect.stringMatching(/^cannot be read: /) }]);
		expect(await mirror.read()).toBe(false);
		await writeFile(file, JSON.stringify(record));
		await mirror.read();
		expect(seen(mirror)).toEqual(['first queued']);
		expect(mirror.problems()).toEqual([]);
	});

	it('has the workers of a swarm, which nobody looks after', async () => {
		const mirror = mirrorOf();
		const swarm = join(folder.path, '.claude', 'orchestrator', 'workers');
		await mkdir(swarm, { recursive: true });
		await writeFile(join(swarm, 'login.log'), 'begun\n');
		expect(await mirror.read()).toBe(true);
		expect(seen(mirror)).toEqual(['login running']);
		expect(mirror.hasUnsettled()).toBe(false);
	});
});

describe('the model', () => {
	async function open(options: ModelOptions = {}): Promise<WorkspaceModel> {
		const model = new WorkspaceModel(store.workspace, [fakeDriver], { tickMs: 50, ...options });
		models.push(model);
		await model.refresh();
		await sleep(50);
		return model;
	}

	it('follows delegates while they work, and tells once that one has ended', async () => {
		const model = await open();
		const begun = performance.now();
		const needed: Attention[] = [];
		model.onDidNeedAttention(attention => needed.push(attention));
		let changes = 0;
		model.onDidChange(() => changes++);
		const first = await create('first');
		await eventually('it is there', () => model.delegates()[0]?.state === 'queued');
		for (let calls = 1; calls <= 20; calls++) {
			await store.writeStatus(first.record.id, { ...first.status, status: 'running', tool_calls: calls });
			await sleep(20);
		}
		await eventually('the last is seen', () => model.delegates()[0]?.status.tool_calls === 20);
		// Views are told of a look, and there are four of them a second.
		expect(changes).toBeLessThanOrEqual(2 + (performance.now() - begun) / 250);
		await finish(store, (await store.find(first.record.id))!, { ok: true, output: 'All is well.' });
		await eventually('it is told', () => needed.length > 0);
		await sleep(300);
		// The message in the human's mailbox says the same, so it is not told besides.
		expect(needed.map(({ kind, delegate, text }) => [kind, delegate?.state, text])).toEqual([
			['delegate', 'done', 'first'],
		]);
		expect(model.overview().tasks[0]?.unread).toBe(1);
	});

	it('knows that a worker has ended which never came to start', async () => {
		const model = await open();
		const { record, status } = await create('first');
		await store.workspace.createWorker({
			version: 1,
			task,
			name: worker,
			agent,
			sessions: [],
			startedAt: record.createdAt,
			delegate: record.id,
		});
		const phase = () => model.overview().tasks[0]?.workers[0]?.state.phase;
		await eventually('it waits', () => phase() === 'starting');
		await finish(
			store,
			{ ...(await store.get(record.id)), status },
			{ ok: false, reason: 'cancelled', output: '' },
		);
		await eventually('it has ended', () => phase() === 'ended');
	});

	it('says nothing of what somebody stopped, or of what had ended before', async () => {
		const before = await create('before');
		await finish(store, before, { ok: false, reason: 'timeout', output: '' });
		const model = await open();
		const needed: Attention[] = [];
		model.onDidNeedAttention(attention => needed.push(attention));
		const stopped = await create('stopped');
		await eventually('it is there', () => model.delegates().length === 2);
		await finish(store, stopped, { ok: false, reason: 'cancelled', output: '' });
		await eventually('it has ended', () => model.delegates()[1]?.state === 'failed');
		await sleep(200);
		expect(needed).toEqual([]);
	});

	it('looks after the queue in each window, also while a command keeps the mailboxes, and only while something is to be done', async () => {
		// As `nancy wait` does: it looks live for as long as it waits, and starts no delegate.
		await open();
		await eventually('it keeps the mailboxes', () => existsSync(store.workspace.paths.upkeepLock));
		let looks = 0;
		let nowMs = Date.now();
		const first = await open({ lookAtQueue: async () => void looks++, now: () => nowMs });
		await sleep(200);
		expect(looks).toBe(0);
		const { record, status } = await create('first');
		await eventually('it looks', () => looks > 0);
		await sleep(200);
		expect(looks).toBe(1);
		await finish(store, { ...(await store.get(record.id)), status }, { ok: true, output: 'Done.' });
		await eventually('it has ended', () =>
			first.delegates().every(each => each.state === 'done' && each.status.reported),
		);
		nowMs += 3300;
		await sleep(300);
		expect(looks).toBe(1);
	});

	it('that only reads writes nothing and looks after nothing', async () => {
		let looks = 0;
		await create('first');
		const model = await open({ readOnly: true, lookAtQueue: async () => void looks++ });
		await sleep(200);
		expect(model.delegates()).toHaveLength(1);
		expect(looks).toBe(0);
		expect(existsSync(store.workspace.own.path('queue.lock'))).toBe(false);
	});
});
