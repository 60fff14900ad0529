import { existsSync, readdirSync } from 'node:fs';
import { appendFile, mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Budgets } from '../../../../src/core/budgets/budgets.ts';
import { claimBatch } from '../../../../src/core/mailbox/batch.ts';
import { ownIdentity, type Liveness } from '../../../../src/base/liveness.ts';
import type { Attention } from '../../../../src/core/live/attention.ts';
import type { ProbedStatus } from '../../../../src/core/driver/statusProbe.ts';
import { WorkspaceModel, type ModelOptions } from '../../../../src/core/live/model.ts';
import { readOverview } from '../../../../src/core/live/readOverview.ts';
import type { WorkerState } from '../../../../src/core/live/overview.ts';
import { Delegates } from '../../../../src/core/delegates/delegates.ts';
import { ProcessLock } from '../../../../src/core/files/processLock.ts';
import { Collector } from '../../../../src/core/live/collector.ts';
import { noteScreen } from '../../../../src/core/workspace/shownScreens.ts';
import { Workspace } from '../../../../src/core/workspace/workspace.ts';
import { TaskSnapshots } from '../../../../src/core/worktrees/taskSnapshots.ts';
import { DelegateId, DelegateStatus } from '../../../../src/protocol/delegate.ts';
import type { ShownScreen, ShownState } from '../../../../src/protocol/records.ts';
import { DriverId, ORCHESTRATOR, SessionId, TaskName, WorkerName } from '../../../../src/protocol/names.ts';
import { addBoundWorker } from '../../../support/boundWorker.ts';
import { countCalls } from '../../../support/countedCalls.ts';
import { seedDelegate } from '../../../support/delegateSeeds.ts';
import { eventually } from '../../../support/eventually.ts';
import { fakeDriver } from '../../../support/fakeDriver.ts';
import { BY_USER, messageContent } from '../../../support/messageContent.ts';
import { tempFolder, type TempFolder } from '../../../support/tempFolder.ts';
import { taskRecord } from '../../../support/taskRecord.ts';
import { deleteTask } from '../../../../src/core/sessions/deletion.ts';
import { failFiles } from '../../../support/failingFiles.ts';

let folder: TempFolder;
let workspace: Workspace;
const models: WorkspaceModel[] = [];
const task = TaskName.parse('fix');
const worker = WorkerName.parse('worker');
const address = { task, worker };
const session = SessionId.parse('s1');
const directive = messageContent('Use the helper.');

beforeEach(async () => {
	folder = tempFolder();
	workspace = new Workspace(folder.path);
	const agent = DriverId.parse('fake');
	await workspace.createTask(taskRecord(task, agent, { title: 'Fix' }));
	await addBoundWorker(workspace, address, { agent, session });
});
afterEach(async () => {
	for (const model of models.splice(0)) await model.close();
	await folder.remove();
});

async function start(options: ModelOptions = {}): Promise<WorkspaceModel> {
	const model = new WorkspaceModel(workspace, [fakeDriver], { tickMs: 50, ...options });
	models.push(model);
	await model.refresh();
	await sleep(50);
	return model;
}

let count = 0;
async function happens(kind: string, fields: Record<string, unknown> = {}): Promise<void> {
	await writeFile(
		join(workspace.paths.spool, `fake~${kind}~${++count}.json`),
		JSON.stringify({ session, kind, ...fields }),
	);
}

const now = () => new Date().toISOString();
const shows = (state: ShownState, { at = now(), workedAt = now() }: Partial<Omit<ShownScreen, 'version'>> = {}) =>
	noteScreen(workspace, address, { state, at, workedAt });

const stateIn = (model: WorkspaceModel): WorkerState | undefined => model.overview().tasks[0]?.workers[0]?.state;
const becomes = (model: WorkspaceModel, phase: string) =>
	eventually(`the worker is ${phase}`, () => stateIn(model)?.phase === phase, { everyMs: 10 });

function attentionOf(model: WorkspaceModel): { needed: Attention[]; resolved: Attention[] } {
	const seen = { needed: new Array<Attention>(), resolved: new Array<Attention>() };
	model.onDidNeedAttention(each => seen.needed.push(each));
	model.onDidResolveAttention(each => seen.resolved.push(each));
	return seen;
}

describe('WorkspaceModel', () => {
	it('shows what an agent does as its hooks report it', async () => {
		const model = await start();
		let changes = 0;
		model.onDidChange(() => changes++);
		expect(stateIn(model)?.phase).toBe('starting');
		await happens('tool-start', { tool: 'Bash', toolUseId: 't1', summary: 'npm test' });
		await becomes(model, 'working');
		expect(stateIn(model)).toMatchObject({ tool: 'Bash', summary: 'npm test', source: 'tool-start Bash', session });
		await happens('tool-end', { tool: 'Bash', toolUseId: 't1', durationMs: 5 });
		await happens('stop');
		await becomes(model, 'idle');
		await eventually('it is announced', () => changes > 0, { everyMs: 5 });
		expect(model.sessions()).toMatchObject([
			{ session, address, turns: [{ nodes: [{ outcome: 'ok' }, { event: { kind: 'stop' } }] }] },
		]);
	});

	it('tells the path of a file from a command by the tool', async () => {
		const model = await start();
		const summary = join(workspace.folder, 'run.sh');
		await happens('tool-start', { tool: 'Bash', toolUseId: 't1', summary });
		await becomes(model, 'working');
		expect(stateIn(model)).toMatchObject({ tool: 'Bash', summary });
		expect(stateIn(model)?.isOnFile).toBeUndefined();
		await happens('tool-start', { tool: 'Write', toolUseId: 't2', summary });
		await eventually('it writes', () => stateIn(model)?.tool === 'Write', { everyMs: 5 });
		expect(stateIn(model)).toMatchObject({ summary, isOnFile: true });
		expect(model.sessions()[0]?.turns[0]?.nodes.map(node => node.isOnFile)).toEqual([undefined, true]);
	});

	it('shows what is there while a long backlog is still being collected, and the backlog bit by bit', async () => {
		for (let i = 0; i < 2000; i++) await happens('tool-start', { tool: 'Bash', toolUseId: `t${i}` });
		const calls = countCalls('readdir');
		const model = new WorkspaceModel(workspace, [fakeDriver], { tickMs: 60_000 });
		models.push(model);
		const left: number[] = [];
		model.onDidChange(() => {
			expect(model.overview().tasks).toHaveLength(1);
			left.push(readdirSync(workspace.paths.spool).filter(name => name.endsWith('.json')).length);
		});
		await eventually('all of it', () => left.at(-1) === 0, { everyMs: 10 });
		calls.stop();
		expect(left[0]).toBeGreaterThan(1000);
		expect(left.length).toBeGreaterThan(2);
		// By whoever collects and whoever watches.
		expect(calls.count('readdir', path => path === workspace.paths.spool)).toBeLessThan(12);
	});

	it('makes no new overview while nothing happens, but one for a budget or a snapshot of a task', async () => {
		let looks = 0;
		const countLooks = (): Liveness => {
			looks++;
			return 'alive';
		};
		let nowMs = Date.now();
		await workspace.updateWorker(address, record => record && { ...record, process: ownIdentity() });
		const model = await start({ isAlive: countLooks, now: () => (nowMs += 1000) });
		await happens('stop');
		await becomes(model, 'idle');
		looks = 0;
		await eventually('it has come to rest', () => looks > 3);
		const before = model.overview();
		looks = 0;
		await eventually('several looks', () => looks > 3);
		expect(model.overview()).toBe(before);
		await new Budgets(workspace.own).set({ task }, { tokens: 100 });
		await eventually('the budget', () => model.overview().tasks[0]?.budget !== undefined);
		const snapshot = { repository: folder.path, tree: '0'.repeat(40), ref: 'refs/nancy/snapshots/0' };
		await new TaskSnapshots(workspace.own).note(task, snapshot);
		await eventually('the snapshot', () => model.overview().tasks[0]?.hasSnapshot === true);
	});

	it('shows what the agent’s own record tells, also while nothing else happens', async () => {
		const transcript = folder.file('transcript.jsonl');
		await writeFile(transcript, '');
		const model = await start();
		await happens('stop', { transcript });
		await becomes(model, 'idle');
		await sleep(150);
		await appendFile(transcript, `${JSON.stringify({ model: 'fake-2' })}\n`);
		await eventually('its model', () => model.overview().tasks[0]?.workers[0]?.facts?.model === 'fake-2');
	});

	it('shows mailboxes as they change, and a message that was dropped by hand', async () => {
		const model = await start();
		const id = await workspace.send(address, directive, BY_USER);
		await eventually('the message', () => model.overview().tasks[0]?.workers[0]?.queued === 1);
		await writeFile(join(workspace.paths.mailbox(task, worker), 'inbox', 'by-hand.md'), 'Look here.');
		await eventually('the dropped one', () => model.messages(address).messages.length === 2);
		await workspace.mailbox(address).archive(id);
		await eventually(
			'archived',
			() =>
				model
					.messages(address)
					.messages.map(each => each.state)
					.join() === 'queued,archived',
		);
	});

	it('shows a queued message at every moment, also while it is edited', async () => {
		const model = await start();
		const ids = [
			await workspace.send(address, directive, BY_USER),
			await workspace.send(address, directive, BY_USER),
		];
		await eventually('both', () => model.messages(address).messages.length === 2);
		const counts = new Set<number>();
		model.onDidChange(() => counts.add(model.messages(address).messages.length));
		for (let round = 1; round <= 150; round++) {
			await workspace.mailbox(address).reorder(round % 2 === 0 ? ids : ids.toReversed());
			counts.add(model.messages(address).messages.length);
		}
		expect([...counts]).toEqual([2]);
	});

	it('shows tasks and workers that come and go, and what cannot be read', async () => {
		const model = await start();
		const other = TaskName.parse('other');
		await workspace.createTask({ ...(await workspace.task(task)), name: other });
		await eventually('the task', () => model.overview().tasks.length === 2);
		await deleteTask(workspace, other);
		await eventually('its end', () => model.overview().tasks.length === 1);
		await mkdir(join(workspace.paths.tasks, 'broken'));
		await writeFile(join(workspace.paths.tasks, 'broken', 'task.json'), '{');
		await eventually('the problem', () => model.overview().problems.length === 1);
	});

	it('shows nothing of a folder that was made and removed between two looks at whether there is one', async () => {
		await rm(workspace.paths.root, { recursive: true, maxRetries: 10 });
		const model = await start();
		await workspace.createTask(taskRecord(task, DriverId.parse('fake'), { title: 'Fix' }));
		// As a window does after its own changes, before anything watches the new folder.
		await model.refresh();
		expect(model.overview().tasks).toHaveLength(1);
		// The window may be writing there.
		await rm(workspace.paths.root, { recursive: true, maxRetries: 10 });
		await eventually('the task has left the view', () => model.overview().tasks.length === 0);
	});

	it('reads again what it could not read, once it can', async () => {
		const model = await start();
		const { halts } = workspace.paths;
		await rm(halts, { recursive: true });
		await symlink(folder.path, halts);
		await eventually('the problem', () => model.overview().problems.length > 0);
		const other = TaskName.parse('other');
		await mkdir(join(workspace.paths.tasks, other));
		const record = taskRecord(other, DriverId.parse('fake'), { title: 'Other' });
		await writeFile(workspace.paths.taskRecord(other), JSON.stringify(record));
		await sleep(200); // the notification of it has come, and nothing could be read
		await rm(halts);
		// Tasks and halts are read one after the other.
		await eventually('the new task and no problem', () => {
			const { tasks, problems } = model.overview();
			return tasks.length === 2 && problems.length === 0;
		});
	});

	it('mirrors what another window collects', async () => {
		const first = await start();
		const second = await start();
		await happens('prompt');
		await becomes(first, 'working');
		await becomes(second, 'working');
		await first.close();
		await happens('stop');
		await becomes(second, 'idle');
	});

	it('comes to the same after a reload', async () => {
		const model = await start();
		await happens('permission-asked', { tool: 'Bash' });
		await becomes(model, 'waiting');
		const before = model.overview();
		await model.close();
		const again = await start();
		expect(again.overview()).toEqual(before);
	});

	it('asks the agent itself when nothing more is heard, and reads its transcript', async () => {
		let status: ProbedStatus = { phase: 'working' };
		let asked = 0;
		const ask = () => {
			asked++;
			return Promise.resolve(new Map([[session, status]]));
		};
		// A clock that runs ten times as fast spares the waiting.
		const begun = Date.now();
		const model = await start({ ask, now: () => begun + (Date.now() - begun) * 10 });
		await happens('tool-start', { tool: 'Bash' });
		await becomes(model, 'working');
		await eventually('a question', () => asked > 0);
		status = { phase: 'idle' };
		await becomes(model, 'idle');
		expect(stateIn(model)?.source).toBe("agent's own status");
	});

	it('sees in the transcript that the user broke off, and that a message is in context', async () => {
		const transcript = folder.file('transcript.jsonl');
		await writeFile(transcript, '');
		const model = await start();
		const id = await workspace.send(address, directive, BY_USER);
		await happens('tool-start', { tool: 'Bash', transcript });
		await becomes(model, 'working');
		const { claims, text } = await claimBatch(
			workspace.mailbox(address),
			{ kind: 'tool-start', slot: 'boundary', session },
			10_000,
		);
		expect(claims.map(claim => claim.id)).toEqual([id]);
		await Promise.resolve(
			claims[0]?.deliver({
				deliveredAt: new Date().toISOString(),
				event: 'PreToolUse',
				driver: fakeDriver.id,
				session,
				rung: 'hook',
				transcript,
			}),
		);
		await writeFile(
			transcript,
			`${JSON.stringify({ text })}\n${JSON.stringify({ interrupted: new Date(Date.now() + 10).toISOString() })}\n`,
		);
		await becomes(model, 'idle');
		expect(stateIn(model)?.source).toBe('interrupted in its terminal');
		await eventually('in context', () => model.messages(address).messages[0]?.receipt?.inContextAt);
	});

	it('sums up what all sessions of a worker have taken', async () => {
		const [first, second] = [folder.file('first.jsonl'), folder.file('second.jsonl')];
		await writeFile(first, `${JSON.stringify({ inputTokens: 100, outputTokens: 20, costUsd: 0.5 })}\n`);
		await writeFile(second, `${JSON.stringify({ inputTokens: 7 })}\n`);
		await happens('stop', { transcript: first });
		const model = await start();
		const use = () => model.overview().tasks[0]?.workers[0]?.use;
		await eventually('the first', () => use()?.inputTokens === 100);
		const record = await workspace.worker(address);
		const sessions = [...record!.sessions, { id: SessionId.parse('s2'), startedAt: new Date().toISOString() }];
		await workspace.saveWorker({ ...record!, sessions });
		await happens('stop', { session: 's2', transcript: second });
		await eventually('both', () => use()?.inputTokens === 107);
		expect(use()).toEqual({ inputTokens: 107, outputTokens: 20, costUsd: 0.5 });
		// A window that is opened now knows the same.
		const other = await start();
		const again = () => other.overview().tasks[0]?.workers[0]?.use;
		await eventually('both again', () => again()?.inputTokens === 107);
	});

	it('pauses a task whose budget is used up, once a turn, until a person raises it', async () => {
		const transcript = folder.file('transcript.jsonl');
		const budgets = new Budgets(workspace.own);
		await budgets.set({ task }, { tokens: 100 });
		await writeFile(transcript, `${JSON.stringify({ inputTokens: 85 })}\n`);
		await happens('tool-start', { tool: 'Bash', toolUseId: 't1', transcript });
		// A further pause may come some seconds after the first one.
		let nowMs = Date.now();
		const model = await start({ now: () => nowMs });
		const pauses = (...states: string[]) =>
			model.messages(address).messages.filter(each => states.includes(each.state));
		await eventually('it is near', () => model.overview().tasks[0]?.budget?.level === 'near');
		expect(budgets.isSpent({ task })).toBe(false);
		await appendFile(transcript, `${JSON.stringify({ outputTokens: 15 })}\n`);
		await eventually('a pause', () => pauses('queued').length === 1);
		expect(pauses('queued')).toMatchObject([
			{ author: { is: 'nancy' }, content: { kind: 'directive', effect: 'pause', priority: 'urgent' } },
		]);
		expect(budgets.isSpent({ task })).toBe(true);
		await sleep(300);
		expect(pauses('queued')).toHaveLength(1);
		await budgets.set({ task }, { tokens: 1000 });
		await eventually('it is taken back', () => pauses('withdrawn').length === 1);
		expect(pauses('queued')).toEqual([]);
		expect(model.overview().tasks[0]?.budget).toMatchObject({ level: 'ok', budget: { tokens: 1000 } });
		nowMs += 6000;
		await budgets.set({ task }, { tokens: 50 });
		await eventually('another pause', () => pauses('queued').length === 1);
		await budgets.set({ task }, undefined);
		await eventually('it is taken back, too', () => pauses('withdrawn').length === 2);
	});

	it('pauses no further in a turn that a pause has ended, and none that is idle', async () => {
		const transcript = folder.file('transcript.jsonl');
		await writeFile(transcript, `${JSON.stringify({ inputTokens: 100 })}\n`);
		await new Budgets(workspace.own).set({ task }, { tokens: 100 });
		await happens('prompt', { transcript });
		await happens('tool-start', { tool: 'Bash', toolUseId: 't1' });
		let nowMs = Date.now();
		const model = await start({ now: () => nowMs });
		const pauses = () => model.messages(address).messages;
		await eventually('a pause', () => pauses().length === 1);
		const claims = await workspace.mailbox(address).claim(() => 'take');
		claims[0]?.deliver({
			deliveredAt: new Date().toISOString(),
			event: 'PreToolUse',
			tool: 'Bash',
			driver: fakeDriver.id,
			session,
			rung: 'hook',
		});
		await eventually('delivered', () => pauses()[0]?.state === 'delivered');
		nowMs += 6000;
		await sleep(200);
		expect(pauses()).toHaveLength(1);
		await happens('stop');
		await becomes(model, 'idle');
		await sleep(200);
		expect(pauses()).toHaveLength(1);
		await happens('prompt');
		await eventually('a pause of the next turn', () => pauses().length === 2);
	});

	it('gives a turn the time to end after a pause was handed over between two tools, and then pauses it again', async () => {
		const transcript = folder.file('transcript.jsonl');
		await writeFile(transcript, `${JSON.stringify({ inputTokens: 100 })}\n`);
		await new Budgets(workspace.own).set({ task }, { tokens: 100 });
		await happens('prompt', { transcript });
		await happens('tool-start', { tool: 'Bash', toolUseId: 't1' });
		let nowMs = Date.now();
		const model = await start({ now: () => nowMs });
		const pauses = () => model.messages(address).messages;
		await eventually('a pause', () => pauses().length === 1);
		// The tool ran for six seconds.
		nowMs += 6000;
		const [claim] = await workspace.mailbox(address).claim(() => 'take');
		const deliveredAt = new Date(nowMs).toISOString();
		claim?.deliver({ deliveredAt, event: 'PostToolBatch', driver: fakeDriver.id, session, rung: 'hook' });
		await eventually('delivered', () => pauses()[0]?.state === 'delivered');
		await sleep(200);
		expect(pauses()).toHaveLength(1);
		nowMs += 6000;
		await eventually('another one', () => pauses().length === 2);
	});

	it('queues again what the transcript, known from the worker’s record alone, does not show after the user broke off', async () => {
		const transcript = folder.file('transcript.jsonl');
		await writeFile(transcript, '');
		const record = await workspace.worker(address);
		await workspace.saveWorker({ ...record!, sessions: [{ ...record!.sessions[0]!, transcript }] });
		// A clock that runs ten times as fast spares the waiting.
		const begun = Date.now();
		const model = await start({ now: () => begun + (Date.now() - begun) * 10 });
		await happens('tool-start', { tool: 'Bash' });
		await becomes(model, 'working');
		const id = await workspace.send(address, directive, BY_USER);
		const [claim] = await workspace.mailbox(address).claim(() => 'take');
		const deliveredAt = new Date().toISOString();
		claim?.deliver({ deliveredAt, event: 'PreToolUse', driver: fakeDriver.id, session, rung: 'hook', transcript });
		await eventually('delivered', () => model.messages(address).messages[0]?.receipt);
		await writeFile(transcript, `${JSON.stringify({ interrupted: new Date().toISOString() })}\n`);
		await becomes(model, 'idle');
		await eventually('queued again', () =>
			model.messages(address).messages.some(each => each.id === id && each.state === 'queued'),
		);
	});

	it('looks up what the transcript shows only in part after three turns, and then no more', async () => {
		let [aheadMs, reads] = [0, 0];
		const { transcript: format } = fakeDriver;
		if (format === 'none') throw new Error('no format');
		const driver: typeof fakeDriver = {
			...fakeDriver,
			transcript: {
				...format,
				fold: (known, line) => {
					if (typeof line === 'object' && line !== null && 'text' in line) reads++;
					return format.fold(known, line);
				},
			},
		};
		const transcript = folder.file('transcript.jsonl');
		const record = await workspace.worker(address);
		await workspace.saveWorker({ ...record!, sessions: [{ ...record!.sessions[0]!, transcript }] });
		const id = await workspace.send(address, messageContent('Use the helper.'.repeat(20)), BY_USER);
		const { claims, text } = await claimBatch(
			workspace.mailbox(address),
			{ kind: 'tool-start', slot: 'boundary', session },
			10_000,
		);
		const deliveredAt = new Date().toISOString();
		claims[0]?.deliver({ deliveredAt, event: 'PreToolUse', driver: driver.id, session, rung: 'hook', transcript });
		await writeFile(transcript, `${JSON.stringify({ text: text.slice(0, text.indexOf('helper') + 20) })}\n`);
		const model = new WorkspaceModel(workspace, [driver], { tickMs: 20, now: () => Date.now() + aheadMs });
		models.push(model);
		await happens('tool-start', { tool: 'Bash' });
		await eventually('the first read', () => reads === 1);
		for (const looks of [1, 2, 3, 3, 3]) {
			const turnOverAt = new Date(Date.now() + aheadMs + 10).toISOString();
			await appendFile(transcript, `${JSON.stringify({ turnOverAt })}\n`);
			aheadMs += 10_000;
			await eventually('the look', () => reads >= 1 + looks);
			await sleep(150);
			expect(reads).toBe(1 + looks);
		}
		expect(model.messages(address).messages).toMatchObject([{ id, state: 'delivered' }]);
	});

	it('gives back what somebody has moved out of an inbox, and never shows it as delivered', async () => {
		const model = await start();
		const id = await workspace.send(address, directive, BY_USER);
		const { folder: box } = workspace.mailbox(address);
		await rename(join(box, 'inbox', `${id}.md`), join(box, 'delivered', `${id}.md`));
		const seen: string[] = [];
		await eventually('back', () => {
			seen.push(...model.messages(address).messages.map(each => each.state));
			return existsSync(join(box, 'inbox', `${id}.md`));
		});
		await eventually('queued', () => model.messages(address).messages[0]?.state === 'queued');
		expect(seen).not.toContain('delivered');
	});

	it('sees that the process is gone, says why a message waits, and takes it back when it lives again', async () => {
		let alive: Liveness = 'alive';
		const record = await workspace.worker(address);
		await workspace.saveWorker({ ...record!, process: { pid: 1, startedTicks: 1 } });
		const model = await start({ isAlive: () => alive });
		await happens('stop');
		await becomes(model, 'idle');
		alive = 'dead';
		await becomes(model, 'ended');
		await workspace.send(address, directive, BY_USER);
		await eventually('the reason', () => model.messages(address).messages[0]?.held?.code === 'ended');
		await happens('session-start', { cause: 'resume' });
		await eventually('no reason', () => model.messages(address).messages[0]?.held === undefined);
	});

	it('keeps the mailboxes in one window, whoever collects', async () => {
		const collector = new Collector(workspace, [fakeDriver]);
		expect(await collector.collect()).toMatchObject({ isCollector: true });
		const record = await workspace.worker(address);
		await workspace.saveWorker({ ...record!, process: { pid: 1, startedTicks: 1 } });
		const isAlive = (): Liveness => 'dead';
		const first = await start({ isAlive });
		const readOnly = await start({ isAlive, readOnly: true });
		const second = await start({ isAlive });
		const lock = () => readdir(workspace.paths.upkeepLock).catch((): string[] => []);
		const isHeld = (id: string) => () =>
			second.messages(address).messages.some(each => each.id === id && each.held?.code === 'ended');

		await eventually('the reason', isHeld(await workspace.send(address, directive, BY_USER)));
		const keeper = await lock();
		await sleep(200);
		expect(await lock()).toEqual(keeper);
		await readOnly.close();
		expect(await lock()).toEqual(keeper);

		first.dispose();
		await eventually('the other keeps', async () => (await lock()).some(name => !keeper.includes(name)));
		await eventually('its reason', isHeld(await workspace.send(address, directive, BY_USER)));
		await collector.close();
	});

	describe('attention', () => {
		it('tells the path of a file from a command by the tool', async () => {
			const { needed } = attentionOf(await start());
			await happens('permission-asked', { tool: 'Write', summary: '/project/a.ts' });
			await eventually('the question', () => needed.length === 1);
			expect(needed[0]).toMatchObject({ kind: 'permission', text: '/project/a.ts', isOnFile: true });
		});

		it('is called for when an agent stops, waits, or writes; not for what was before, nor twice', async () => {
			await happens('prompt');
			await happens('stop', { summary: 'old' });
			await sleep(20);
			const model = await start();
			const { needed, resolved } = attentionOf(model);
			await sleep(600);
			expect(needed).toEqual([]);
			await happens('prompt');
			await happens('tool-start', { tool: 'Bash' });
			await happens('permission-asked', { tool: 'Bash', summary: 'rm -rf x' });
			await eventually('the question', () => needed.length === 1);
			expect(needed[0]).toMatchObject({ kind: 'permission', address, tool: 'Bash', text: 'rm -rf x' });
			expect(needed[0]?.isOnFile).toBeUndefined();
			const turnEndedAt = () => model.overview().tasks[0]?.workers[0]?.turnEndedAt;
			expect(turnEndedAt()).toBeUndefined();
			await happens('notification', { tells: 'asked' });
			await happens('tool-end', { tool: 'Bash' });
			await eventually('the answer', () => resolved.length === 1);
			await happens('stop', { summary: 'All done.' });
			await eventually('the stop', () => needed.length === 2);
			expect(needed[1]).toMatchObject({ kind: 'stopped', text: 'All done.' });
			expect(turnEndedAt()).toBe(needed[1]?.at);
			const id = await workspace.send(
				{ task, worker: ORCHESTRATOR },
				{ ...directive, text: 'A question\nfor you' },
				{ is: 'agent', worker: 'fix/worker' },
			);
			await eventually('the message', () => needed.length === 3);
			expect(needed[2]).toMatchObject({ kind: 'message', address, text: 'A question', message: id });
			await workspace.mailbox({ task, worker: ORCHESTRATOR }).markRead(id);
			await eventually('it is read', () => resolved.some(each => each.message === id));
			await sleep(500);
			expect(needed).toHaveLength(3);
		});

		it('is called for by a screen that asks, and by one that then waits', async () => {
			const model = await start();
			const { needed, resolved } = attentionOf(model);
			shows('working');
			await becomes(model, 'working');
			shows('asking');
			await eventually('the question', () => needed.length === 1);
			shows('idle');
			await eventually('the answer', () => resolved.length === 1);
			await eventually('the end', () => needed.length === 2);
			expect(needed.map(({ kind }) => kind)).toEqual(['permission', 'stopped']);
		});

		it('is not called for again when a screen that worked comes back to what an event has told', async () => {
			const model = await start();
			const { needed } = attentionOf(model);
			await happens('prompt');
			await happens('stop', { summary: 'All done.' });
			await eventually('the stop', () => needed.length === 1);
			shows('working');
			await becomes(model, 'working');
			shows('idle');
			await becomes(model, 'idle');
			await sleep(600);
			expect(needed).toHaveLength(1);
		});

		it.each(['hook', 'prompt'])(
			'is not called for when a subagent stops, or when feedback keeps the agent going, by its %s',
			async rung => {
				const model = await start();
				const { needed, resolved } = attentionOf(model);
				await happens('prompt');
				await happens('stop', { subagent: 'a1' });
				await happens('subagent-stop', { subagent: 'a1' });
				await sleep(600);
				expect(needed).toEqual([]);
				await happens('stop');
				await becomes(model, 'idle');
				const note = {
					nancy: 'delivery',
					at: new Date().toISOString(),
					driver: 'fake',
					session,
					event: 'stop',
					task,
					worker,
					messages: ['m'],
					rung,
					effect: 'none',
				};
				await writeFile(join(workspace.paths.spool, 'fake~stop~note.json'), JSON.stringify(note));
				await becomes(model, 'working');
				await sleep(600);
				// On a busy machine the note is late, and what was called for is taken back.
				expect(resolved).toEqual(needed);
			},
		);
	});

	it('believes no screen of the future, of an earlier start or of a delegate', async () => {
		const phase = async () => (await readOverview(workspace, [fakeDriver])).tasks[0]?.workers[0]?.state.phase;
		const hourMs = 3_600_000;
		for (const ms of [hourMs, -hourMs]) {
			shows('asking', { at: new Date(Date.now() + ms).toISOString() });
			expect(await phase()).toBe('starting');
		}
		shows('asking');
		expect(await phase()).toBe('waiting');
		const record = (await workspace.worker(address))!;
		await workspace.saveWorker({ ...record, delegate: DelegateId.parse('d-20260101-000000-abcd') });
		expect(await phase()).toBe('starting');
	});

	it('rings again for an idle agent that does not answer', async () => {
		const begun = Date.now();
		const model = await start({ now: () => begun + (Date.now() - begun) * 20 });
		await happens('stop');
		await becomes(model, 'idle');
		await workspace.send(address, directive, BY_USER);
		await sleep(200);
		await rm(workspace.paths.bell(session));
		await eventually('another ring', () =>
			stat(workspace.paths.bell(session)).then(
				() => true,
				() => false,
			),
		);
		await eventually('the reason', () => model.messages(address).messages[0]?.held?.code === 'unheard');
	});

	it('hears of what comes into the spool without having to look for it', async () => {
		const model = await start({ tickMs: 3_600_000 });
		for (let i = 0; i < 20; i++) {
			const heard = new Promise<void>(resolve => {
				const listening = model.onDidChange(() => {
					if (stateIn(model)?.summary !== `n${i}`) return;
					listening.dispose();
					resolve();
				});
			});
			await happens('tool-start', { tool: 'Bash', toolUseId: `t${i}`, summary: `n${i}` });
			await heard;
		}
	});

	it('reads once for a command', async () => {
		await happens('prompt');
		const overview = await readOverview(workspace, [fakeDriver]);
		expect(overview.tasks[0]?.workers[0]?.state.phase).toBe('working');
		expect(overview.problems).toEqual([]);
	});

	it('looks after everybody though a transcript cannot be read that an agent names', async () => {
		const transcript = folder.file('transcript.jsonl');
		await writeFile(transcript, '{}');
		await happens('stop', { transcript });
		using _ = failFiles('open', path => path === transcript);
		const { tasks, problems } = await readOverview(workspace, [fakeDriver]);
		expect(tasks[0]?.workers[0]?.state.phase).toBe('idle');
		expect(problems).toEqual([]);
	});

	it('reads again where its first reading failed, and tells of no end from before', async () => {
		const delegates = new Delegates(workspace);
		await seedDelegate(delegates, { title: 'Long over', state: 'done', reported: true });
		const model = new WorkspaceModel(workspace, [fakeDriver], { tickMs: 50 });
		models.push(model);
		const { needed } = attentionOf(model);
		let failed = 0;
		{
			using _ = failFiles('readdir', path => path === workspace.paths.tasks && ++failed > 0);
			await model.refresh();
			await happens('prompt');
			await sleep(200);
			expect(model.overview().tasks).toEqual([]);
			// What can be read is there.
			expect(model.delegates()).toHaveLength(1);
		}
		expect(failed).toBeGreaterThan(1);
		await becomes(model, 'working');
		expect(needed).toEqual([]);
	});

	it('takes the worker of a delegate that waits for its account for one that starts again', async () => {
		const delegates = new Delegates(workspace);
		const { record, files } = await seedDelegate(delegates, { title: 'Long work', state: 'parked' });
		const at = { task, worker: WorkerName.parse('delegate-1') };
		const startedAt = new Date().toISOString();
		const process = { pid: 4_000_000, startedTicks: 1 };
		const agent = DriverId.parse('fake');
		const known = { task, name: at.worker, agent, startedAt, delegate: record.id };
		await workspace.saveWorker({ version: 1, sessions: [], ...known, process });
		const message = await workspace.send(at, directive, BY_USER);
		const look = async () => {
			const { tasks } = await readOverview(workspace, [fakeDriver]);
			const { messages } = await workspace.mailbox(at).list(['queued']);
			const state = tasks[0]?.workers.find(each => each.record.name === at.worker)?.state;
			return [state?.phase, state?.source, messages.find(({ id }) => id === message)?.held?.code];
		};
		expect(await look()).toEqual(['starting', 'parked', undefined]);
		await delegates.writeStatus(record.id, DelegateStatus.parse({ task_id: record.id, status: 'failed' }));
		await writeFile(files.done, 'error: cancelled\n');
		expect(await look()).toEqual(['ended', 'process gone', 'ended']);
	});

	it('keeps the mailboxes once for a command, where no window does', async () => {
		const bell = workspace.paths.bell(session);
		const window = new ProcessLock(workspace.paths.upkeepLock);
		await happens('stop');
		await writeFile(join(workspace.paths.mailbox(task, worker), 'inbox', 'by-hand.md'), 'Look here.');
		const pause = await workspace.send(address, { ...directive, effect: 'pause' }, BY_USER);
		const messages = async () => (await workspace.mailbox(address).list(['queued'])).messages;

		await window.hold();
		await readOverview(workspace, [fakeDriver]);
		expect(existsSync(bell)).toBe(false);
		await window.release();

		await readOverview(workspace, [fakeDriver]);
		expect(existsSync(bell)).toBe(true);
		const held = (await messages()).filter(message => message.held !== undefined);
		expect(held).toMatchObject([{ id: pause, held: { code: 'resting' } }]);
		expect(existsSync(workspace.paths.upkeepLock)).toBe(false);
	});
});
